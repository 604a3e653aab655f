/*
 * Objects that a loop deletes: their destructors, which no call names, ask for the thread's
 * number.
 */
#include <cstdio>
#include <memory>
#include <omp.h>

static int all, odd;

struct ender {
    virtual ~ender() {}
};

struct counter : ender {
    ~counter() override
    {
        int id = omp_get_thread_num();

#pragma omp atomic
        all += id >= 0;
    }
};

struct plain {
    int k;
    ~plain()
    {
#pragma omp atomic
        odd += k % 2;
    }
};

static void deleted(ender **e, int n)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        delete e[i];
}

static void owned(ender **e, int n)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        std::unique_ptr<ender> one(e[i]);
}

/* No thread is asked for. */
static void others(plain **e, int n)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        delete e[i];
}

int main()
{
    ender *e[100];
    plain *p[100];

    for (int i = 0; i < 100; i++) {
        e[i] = new counter;
        p[i] = new plain{ i };
    }
    deleted(e, 50);
    owned(e + 50, 50);
    others(p, 100);
    printf("%d %d\n", all, odd);
    return 0;
}
