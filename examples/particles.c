/*
 * particles.c - particles that cost differently, dealt by what they cost in the step
 * before, each to the worker that has its memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <tweed.h>

enum { PARTICLES = 20000, STEPS = 5 };

struct particle {
    double x;
    int worker; /* that touched it first */
    int strangers; /* steps in which another one had it */
};

TWEED_LOOP(touch, i, struct particle *, all)
{
    all[i] = (struct particle){ .x = (double)i / (double)PARTICLES,
                                .worker = tweed_worker_index() };
}

/* Those on the right have more neighbours.  cost: of each, in this step. */
TWEED_LOOP(move, i, struct particle *, all, double *, cost)
{
    struct particle *p = &all[i];
    int neighbours = 1 + (int)(200 * p->x * p->x);

    p->strangers += p->worker != tweed_worker_index();
    for (int k = 0; k < neighbours; k++)
        p->x += (0.5 - p->x) / (1000 + k);
    cost[i] = neighbours;
}

static void must(int code)
{
    if (code == TWEED_OK)
        return;
    fprintf(stderr, "particles: %s\n", tweed_last_error());
    exit(1);
}

int main(void)
{
    static double weights[PARTICLES], cost[PARTICLES];
    struct particle *all = malloc(PARTICLES * sizeof *all);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    double sum = 0;
    int strangers = 0;

    if (!all)
        return 1;
    for (int i = 0; i < PARTICLES; i++)
        weights[i] = 1 + 200.0 * i / (double)PARTICLES * i / (double)PARTICLES;
    o.weights = weights; /* the same in all of these loops: the same shares */
    o.schedule = TWEED_SCHEDULE_STATIC;
    must(touch_with(NULL, &o, 0, PARTICLES, all));
    for (int step = 0; step < STEPS; step++)
        must(move_with(NULL, &o, 0, PARTICLES, all, cost));
    for (int i = 0; i < PARTICLES; i++)
        strangers += all[i].strangers;

    o.weights = cost; /* of the step before: read before the loop begins */
    o.schedule = TWEED_SCHEDULE_DEFAULT; /* idle workers steal */
    for (int step = 0; step < STEPS; step++)
        must(move_with(NULL, &o, 0, PARTICLES, all, cost));
    for (int i = 0; i < PARTICLES; i++)
        sum += all[i].x;
    free(all);
    printf("%d particles, mean %.6f, %d met a strange worker\n", PARTICLES,
           sum / (double)PARTICLES, strangers);
    return strangers != 0;
}
