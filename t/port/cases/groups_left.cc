// Tasks that keep those of the file as they are: what is shared may end before them, clauses.
#include <cstdio>
#include <vector>

static int a[64];

static void ends(int n)
{
    int x = 0;

    #pragma omp task shared(x)
    x = n;
    a[5] = x;
}

static void ends_inside(int n)
{
    {
        std::vector<int> v(3, n);
        #pragma omp task shared(v)
        a[0] = v[0];
        #pragma omp taskwait
    }
    {
        std::vector<int> v(3, n);
        #pragma omp task shared(v)
        a[1] = v[0];
    }
    #pragma omp taskwait
}

static int leaves(int n)
{
    int x = 0;

    for (int i = 0; i < n; i++) {
        if (i == 30)
            return 1;
        #pragma omp task shared(x)
        {
            #pragma omp atomic
            x++;
        }
    }
    #pragma omp taskwait
    return x;
}

static void leaves_loop(int n)
{
    while (n > 0) {
        int x = n;

        #pragma omp task shared(x)
        a[x] = x;
        if (n == -1)
            break;
        n--;
        #pragma omp taskwait
    }
    #pragma omp taskgroup
    {
        if (n > 100) {
            int x = 3;

            #pragma omp task shared(x)
            a[1] = x;
        }
    }
}

static void clauses(int n)
{
    int k[n];

    #pragma omp task depend(out: a[0])
    a[0] = 1;
    #pragma omp task shared(k)
    k[0] = 1;
    #pragma omp task private(n)
    {
        n = 3;
        a[1] = n;
    }
    #pragma omp task
    a[2] = __func__[0];
    #pragma omp taskwait
    a[3] = k[0];
}

int main()
{
    int r = 0;

    #pragma omp parallel
    #pragma omp single
    {
        if (a[0] > 1)
            ends(1);
        if (a[0] < 0)
            ends_inside(2);
        r = leaves(9);
        leaves_loop(5);
        clauses(5);
    }
    std::printf("%d %d %d\n", r, a[4], a[2]);
}
