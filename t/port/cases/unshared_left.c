/* A pragma that is left alone shares no variable that it does not name: a critical section in it
   has no lock. */
#include <stdio.h>

int main(void)
{
    int first = 0, second = 0, third = 0, n = 100;

#pragma omp parallel for default(none) shared(first, n) ordered
    for (int i = 0; i < n; i++) {
#pragma omp critical(one)
        first += i;
#pragma omp ordered
        first += 1;
    }
#pragma omp parallel for default(shared) ordered
    for (int i = 0; i < n; i++) {
#pragma omp critical(two)
        second += i;
#pragma omp ordered
        (void)i;
    }
#pragma omp parallel for default(none) shared(third, n)
    for (int i = 0; i < n; i++) {
#pragma omp critical(three)
        third += i;
    }
#pragma omp parallel default(none) shared(third) num_threads(1)
#pragma omp critical(four)
    third += 1;
    printf("%d %d %d\n", first, second, third);
    return 0;
}
