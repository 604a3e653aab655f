/* What each thread has, by a pointer: it is not the caller's, nor does it end at a barrier. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>
enum { N = 20000 };
struct pair { int x, y; };
static int out[N];
static char names[64][64];
static int *half(int *p, int n) { return p + n / 2; }
static int first(const int *p) { return p[0]; }
static void step(struct pair *p, int i)
{
    p->x = i;
    p->y = p->x * 2;
}

static int decayed(void)
{
    int bad = 0;

#pragma omp parallel
    {
        int work[64];
        int *w = work;
#pragma omp for
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 64; k++)
                w[k] = i + k;
            out[i] = w[i % 64];
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i + i % 64;
    return bad;
}

static int addressed(void)
{
    int bad = 0;

#pragma omp parallel
    {
        struct pair mine, *p = &mine;
#pragma omp for
        for (int i = 0; i < N; i++) {
            step(p, i);
            out[i] = p->y;
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != 2 * i;
    return bad;
}

static int literal(void)
{
    int bad = 0;

#pragma omp parallel
    {
        int *w = (int[64]){ 0 };
#pragma omp for
        for (int i = 0; i < N; i++) {
            w[i % 64] = i;
            out[i] = w[i % 64];
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i;
    return bad;
}

static int picked(void)
{
    int bad = 0;

#pragma omp parallel
    {
        int work[64], *w = half(work, 64), k;
        const int *view = w;
#pragma omp for
        for (int i = 0; i < N; i++) {
            for (k = 0; k < 32; k++)
                w[k] = i + k;
            out[i] = view[i % 32];
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i + i % 32;
    return bad;
}

/* From one loop to the next. */
static int kept(void)
{
    static int *table[N];
    int bad = 0;

#pragma omp parallel
    {
        int mine;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            mine = i;
            table[i] = &mine;
        }
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            *table[i] = i;
            out[i] = *table[i];
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i;
    return bad;
}

/* These may be the caller's. */
static int looked_at(void)
{
    int bad = 0;

#pragma omp parallel
    {
        int two[2] = { 3, 4 }, n = first(two) + (int)sizeof two, part[4];
#pragma omp for
        for (int i = 0; i < N; i++) {
            int *p = part;

            *p = i;
            out[i] = n + part[0];
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i + 3 + (int)(2 * sizeof(int));
    return bad;
}

static int generated(void)
{
    int threads = 0, bad = 0;
    static int one[64], two[64];

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        struct random_data data;
        char state[64];
        int32_t r;

        memset(&data, 0, sizeof data);
        initstate_r(7, state, sizeof state, &data);
        random_r(&data, &r);
        one[me] = r;
#pragma omp atomic
        threads++;
#pragma omp barrier
        random_r(&data, &r);
        two[me] = r;
    }
    for (int t = 1; t < threads; t++)
        bad += one[t] != one[0] || two[t] != two[0];
    return bad;
}

static int parted(void)
{
    int threads = 0, bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        char line[64], *save, *word;

        snprintf(line, sizeof line, "one%d two%d", me, me);
        word = strtok_r(line, " ", &save);
#pragma omp atomic
        threads += word == line;
#pragma omp barrier
        strcpy(names[me], strtok_r(NULL, " ", &save));
        line[0] = 0;
    }
    for (int t = 0; t < threads; t++)
        bad += names[t][0] != 't' || atoi(names[t] + 3) != t;
    return bad;
}

static int sought(void)
{
    int threads = 0, bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        char line[64], *dot;

        snprintf(line, sizeof line, "t%d.x", me);
        dot = strchr(line, '.');
#pragma omp atomic
        threads++;
#pragma omp barrier
        *dot = '_';
        strcpy(names[me], line);
    }
    for (int t = 0; t < threads; t++)
        bad += strstr(names[t], "_x") == NULL;
    return bad;
}

/* Copied, printed, compared: no pointer is left. */
static int copied(void)
{
    int threads = 0, bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        char line[64];

        snprintf(line, sizeof line, "%d", me);
#pragma omp atomic
        threads++;
#pragma omp barrier
        if (strcmp(line, "0") == 0)
            strcat(line, "0");
        memcpy(names[me], line, sizeof line);
    }
    for (int t = 0; t < threads; t++)
        bad += atoi(names[t]) != t;
    return bad;
}

int main(void)
{
    printf("%d %d %d %d\n", decayed(), addressed(), literal(), picked());
    printf("%d %d\n", kept(), looked_at());
    printf("%d %d %d %d\n", generated(), parted(), sought(), copied());
    return 0;
}
