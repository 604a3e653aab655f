/* A sum that is the value of a condition, or of a lambda, is read. */
#include <cstdio>

static int half(int i)
{
    return i / 2;
}

int main()
{
    int sum = 0, seen[100] = {}, all = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 0; i < 100; i++)
        if (int h = half(i); sum += i)
            seen[i] += h;
#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 0; i < 100; i++) {
        auto next = [&] { return sum += i; };
        seen[i] += next();
    }
    for (int i = 0; i < 100; i++)
        all = (all * 3 + seen[i]) % 1009;
    std::printf("%d %d\n", all, sum);
    return 0;
}
