/* Comments between the parts of a pragma, and of the loop. */
#include <stdio.h>

static int remarked(int n)
{
    int s = 0, last = 0, k = 1;

#pragma omp parallel /* one */ for /* two */ reduction(+ : s) /* three */
    /* four */
    for (int i = 0; i < n; i++)
        s += i;
#pragma omp /* five */ parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += i;
#pragma omp parallel for reduction(/* by */ + /* six */ : /* of */ s /* seven */) // eight
    for /* nine */ (int i /* ten */ = /* eleven */ 0; i /* twelve */ < n; i++ /* thirteen */)
        s += i;
#pragma /* fourteen */ omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += i;
#pragma omp parallel for num_threads(/* fifteen */ 2) schedule(/* sixteen */ static, 2)
    for (int i = 0; i < n; i++)
#pragma omp /* seventeen */ atomic /* eighteen */
        s += i;
#pragma omp parallel for if /* nineteen */ (n > 2 /* twenty */) \
    firstprivate(k /* of each */, n) lastprivate(last /* of the last */)
    for (int i = 0; i < n; i++) {
        last = i + k;
#pragma omp critical /* named */ (remark)
        s += n;
    }
#pragma omp parallel /* a region */ reduction(+ /* its own */ : s)
    {
#pragma omp for /* shared */ nowait
        for (int i = 0; i < n; i++)
            s += i;
    }
    return s + last;
}

int main(void)
{
    printf("%d\n", remarked(10));
    return 0;
}
