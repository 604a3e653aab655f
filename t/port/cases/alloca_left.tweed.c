/* Memory of alloca() in a task: it ends with the function. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static long walk(const char *path, int n)
{
    long left = 0, right = 0;

    if (n == 0)
        return (long)strlen(path);
    #pragma omp task shared(left)
    left = walk(path, n - 1);
    #pragma omp task shared(right)
    {
        char *longer = alloca(strlen(path) + 2);

        strcpy(longer, path);
        strcat(longer, "x");
        right = walk(longer, n - 1);
    }
    #pragma omp taskwait
    return left + right;
}

int main(void)
{
    long all = 0;

    #pragma omp parallel
    #pragma omp single
    all = walk("", 6);
    printf("%ld\n", all);
    return 0;
}
