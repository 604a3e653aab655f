/*
 * Indices that wait for one another by what the library has of locks; and one that does not.
 */
#include <tweed.hpp>
#include <condition_variable>
#include <cstdio>
#include <mutex>

namespace {

std::mutex m;
std::condition_variable changed;
int turn, order, done[4];

bool is_done(int i)
{
    std::lock_guard<std::mutex> held(m);

    return done[i] != 0;
}

void finish(int i)
{
    std::lock_guard<std::mutex> held(m);

    done[i] = 1;
    order = 10 * order + i;
}

template <class F> void until(F f)
{
    while (!f())
        ;
}

} // namespace

int main()
{
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int i = 0; i < 3; i++) {
        std::unique_lock<std::mutex> held(m);

        changed.wait(held, [&] { return turn == 2 - i; });
        order = 10 * order + i;
        turn++;
        changed.notify_all();
    }
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int i = 0; i < 3; i++) {
        if (i < 2)
            until([&] { return is_done(i + 1); });
        finish(i);
    }
    done[1] = done[2] = 0;
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int i = 0; i < 3; i++) {
        for (;;) {
            int now;

            {
                std::lock_guard<std::mutex> held(m);
                now = done[i + 1];
            }
            if (now || i == 2)
                break;
        }
        finish(i);
    }
    tweed::parallel_for<int>(0, 100, [&](int i) {
        int k = i % 4;

        while (k > 0) {
            std::lock_guard<std::mutex> held(m);

            done[k] += k;
            k--;
        }
    });
    std::printf("%d %d\n", order % 1000000, done[3]);
    return 0;
}
