// A pragma stands before the body of the loop: the braces are not the loop's.
#include <cstdio>

int main()
{
    int sum = 0, n = 40, last = -1;
    long sums = 0, count = 0, most = 0, bins[5] = { 0 };

#pragma omp parallel for reduction(+ : sum)
    for (int k = 0; k < n; k++)
#pragma omp critical
    {
        sum += k;
        count++;
    }
#pragma omp parallel for reduction(+ : sums)
    for (int k = 0; k < n; k++)
#pragma omp atomic
        bins[k % 5] += k;
#pragma omp parallel for collapse(2) reduction(+ : sums) reduction(max : most)
    for (int k = 0; k < n; k++)
        for (int j = 0; j < 3; j++) // a comment
#pragma omp critical
        {
            sums += k * j;
            most = most < k ? k : most;
            count++;
        }
#pragma omp parallel for private(last) reduction(+ : sums)
    for (int k = 0; k < n; k += 4)
#pragma omp critical(named)
    {
        last = k;
        sums += last;
    }
    std::printf("%d %ld %ld %ld %ld %d\n", sum, sums, count, most, bins[3], last);
    return 0;
}
