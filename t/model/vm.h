/*
 * vm.h - threads of a driver, one step at a time: between model.h and the search.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_VM_H
#define TWEED_T_VM_H

#include "fiber.h"
#include "memory.h"

#define VM_REGIONS 48

enum step_kind { STEP_ACCESS, STEP_TOUCH, STEP_FENCE, STEP_WAIT, STEP_WAKE,
                 STEP_CHOOSE, STEP_AWAIT, STEP_END };

/* What a thread is about to do. */
struct step {
    enum step_kind kind;
    struct access access; /* of an access; place and value of a wait */
    uint32_t mask;        /* of a wait or wake */
    int n;                /* how many to wake; of how many to choose */
    bool writes;          /* of a touch */
    bool (*condition)(void *);
    void *arg;
    const struct vm_site *site;
};

enum status { STATUS_READY, STATUS_ASLEEP, STATUS_GONE };

/* All of a thread that changes, but for its stack. */
struct life {
    enum status status;
    bool stopped; /* gone, for ever in the middle of something */
    struct step step;
    bool later; /* what its clock shows */
};

struct thread {
    struct fiber fiber;
    struct life life;
    uint64_t result; /* of the step just done */
    bool mortal;
};

struct region {
    void *at;
    size_t bytes;
};

/* What an object is, see model.h. */
enum vm_sort { PLACE_SHARED, PLACE_PLAIN, PLACE_FIGURE, PLACE_OWN };

/* What model_setup() has said. */
struct vm {
    int threads, places, regions, selves;
    struct thread thread[MODEL_THREADS];
    struct region region[VM_REGIONS], self[VM_REGIONS];
    volatile void *place[MODEL_PLACES];
    unsigned size[MODEL_PLACES];
    enum vm_sort sort[MODEL_PLACES];
    const char *name[MODEL_PLACES];
    uint64_t value[MODEL_PLACES]; /* at the start */
    void (*verify)(void);
    struct thread *running;
};
extern struct vm vm;

/* Runs model_setup(), and every thread up to its first step. */
void vm_setup(int argc, char **argv);

/* Arguments that model_setup() has not asked for: false, and says so. */
bool vm_arguments_are_known(void);
const char *vm_argument(const char *name);

/* Thread t, whose step has been done with this result, runs to its next step. */
void vm_resume(int t, uint64_t result);

/* Steps are real accesses to the objects: in setup and verify. */
void vm_run_directly(const uint64_t *values, void (*function)(void));

/* The search provides it: the newest value of a place. */
uint64_t vm_newest(int place);

/* The search provides it: prints how the state came about, and exits. */
_Noreturn void vm_failed(const char *what);

#endif
