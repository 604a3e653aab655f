/*
 * Loops whose body waits by a std::atomic or a volatile variable; and some that do not.
 */
#include <atomic>
#include <cstdio>
#include <thread>

namespace {

class meeting {
public:
    void arrive(int all)
    {
        count++;
        while (count.load() < all)
            std::this_thread::yield();
    }

private:
    std::atomic<int> count{0};
};

std::atomic<int> seen[4];
volatile int asked = 3;

} // namespace

int main()
{
    meeting here;
    int sum = 0;

#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 2; i++) {
        here.arrive(2);
#pragma omp atomic
        sum += 2;
    }
#pragma omp parallel for
    for (int i = 0; i < 4; i++) {
        int k = 0;

        while (k < asked)
            k++;
#pragma omp atomic
        sum += k;
    }
#pragma omp parallel for
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 4; k++)
            seen[k] += i;
    std::atomic<int> turn(1);
#pragma omp parallel for num_threads(2) schedule(static, 1) reduction(+ : sum)
    for (int i = 0; i < 2; i++) {
        bool mine = false;

        for (long t = 0; t < 2000000000; ++t)
            if (turn.load() == i) {
                mine = true;
                break;
            }
        sum += mine;
        turn--;
    }
    std::printf("%d %d\n", sum, seen[3].load());
    return 0;
}
