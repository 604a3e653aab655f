/* A list of tasks, each of which starts the next. */
#include <cstdio>

struct list {
    list *next;
    long value;

    void follow()
    {
        value += 3;
        if (next) {
            list *then = next;
#pragma omp task firstprivate(then)
            then->follow();
        }
    }
};

int main()
{
    static list all[1000];
    long sum = 0;

    for (int i = 0; i < 1000; i++) {
        all[i].next = i < 999 ? &all[i + 1] : nullptr;
        all[i].value = i;
    }
#pragma omp parallel
#pragma omp single
    all[0].follow();
    for (int i = 0; i < 1000; i++)
        sum += all[i].value;
    std::printf("%ld\n", sum);
    return 0;
}
