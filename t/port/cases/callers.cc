// A function waits for the tasks of the one that calls it, too.
#include <cstdio>
#include <vector>

static int box[4];
static int late()
{
    int mine = 0;
    #pragma omp task shared(mine)
    mine = 3;
    #pragma omp taskwait
    return box[0] + box[1] + mine; /* and what the caller spawned */
}

static void spin(int k)
{
    volatile int x = 0;
    for (int i = 0; i < k; i++)
        x = x + 1;
}

static void join()
{
    #pragma omp taskwait
}

static int outer()
{
    #pragma omp task
    {
        spin(3000000);
        box[0] = 10;
    }
    #pragma omp task
    {
        spin(2000000);
        box[1] = 20;
    }
    int r = late();
    #pragma omp task
    {
        spin(2000000);
        box[2] = 5;
    }
    join();
    r += box[2];
    return r;
}

struct acc {
    std::vector<long> v;
    template <class I> void add(I from, I to)
    {
        if (to - from < 8) {
            for (I i = from; i < to; ++i)
                v[i] += i;
        } else {
            I m = from + (to - from) / 2;
            #pragma omp task if(to - from > 100)
            {
                add(from, m);
            }
            add(m, to);
            #pragma omp taskwait
            v[from] += v[to - 1];
        }
    }
};
static int search(const int *x, int n, int what)
{
    int left = -1, right = -1;

    if (n == 1)
        return *x == what ? 0 : -1;
    #pragma omp task shared(left)
    left = search(x, n / 2, what);
    right = search(x + n / 2, n - n / 2, what);
    #pragma omp taskwait
    return left >= 0 ? left : right < 0 ? -1 : right + n / 2;
}

int main()
{
    int r = 0, x[500], found = 0;
    acc a;

    for (int i = 0; i < 500; i++)
        x[i] = i * 3;
    a.v.assign(1000, 1);
    #pragma omp parallel
    #pragma omp single
    {
        r = outer();
        found = search(x, 500, 33);
        a.add(0, 1000);
    }
    long h = 0;
    for (long x : a.v)
        h = (h * 131 + x) % 1000003;
    std::printf("%d %ld %d\n", r, h, found);
}
