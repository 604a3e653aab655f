/*
 * explore.c - every order of the steps of a driver's threads.
 *
 * SPDX-License-Identifier: MIT
 *
 *     driver [memory=buffers|views] [spurious=N] [refuse=1] [name=number]...
 *
 * A depth-first search: from each state every thread that can do a step does it,
 * with every result that the memory model allows.  A state is the threads'
 * registers and stacks, what memory holds and may still show, and the driver's own
 * bytes.  A state seen before is not gone into again: orders that
 * differ only in steps that do not concern each other meet in one state.  States
 * are compared by hashes of 64 bits: that two of n differ and have one hash, so
 * that one is left out, has a chance of n^2/2^65: one in 3,700 for 10^8 states.
 * What is dead on a stack makes two states of one now and then, never one of two.
 *
 * spurious: so many futex waits may return for nothing.  refuse: the system may
 * refuse any heavy fence.
 *
 * WHAT IT FINDS.  A check or an assertion that fails in any order; a state in
 * which nobody can go on; a state from which the end cannot be reached any more,
 * whatever is done next (a wake-up lost, threads that chase each other for ever).
 * The last by Tarjan's algorithm: a strongly connected component that nothing
 * leaves must hold an end.  That is not a bound on the steps of one thread: those
 * who always lose a race are not found.
 */
#include "model.h"
#include "vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define DEEPEST (4 << 20)
#define SCRUBBED 2048 /* bytes of stack, of more than 16 KiB */

/* A thread that is not running; shared by the states in which it is so. */
struct image {
    int users;
    uint64_t hash;
    struct life life;
    jmp_buf registers;
    char *low;
    size_t self_bytes, stack_bytes;
    unsigned char bytes[]; /* its own objects, and its stack */
};

struct frame {
    struct image *image[MODEL_THREADS];
    unsigned char choices[MODEL_THREADS]; /* what each may do */
    unsigned char thread, choice;         /* what was tried last */
    unsigned char spurious;               /* wake-ups left to happen so */
    bool leaves;                          /* its component is left, or ends */
    uint32_t number, low;                 /* Tarjan's */
    uint64_t hash;
    unsigned char bytes[]; /* the memory model's, and the regions */
};

struct known {
    uint64_t hash;
    uint32_t number; /* of a state on Tarjan's stack; 0: not on it */
    uint32_t used;
};

static const struct memory_model *model = &memory_buffers;
static bool refuse;
static size_t frame_bytes, region_bytes;
static unsigned char *frames;
static struct frame *acting; /* in which a thread runs to its next step */
static int depth, deepest;
static const char *failure;
static jmp_buf failed;

static struct known *table;
static size_t table_size, states;
static uint64_t *component;
static size_t component_size, component_room;
static uint32_t numbers;
static uint64_t steps, ends;

static struct frame *frame_at(int i)
{
    return (struct frame *)(void *)(frames + (size_t)i * frame_bytes);
}

static void *memory_of(struct frame *f)
{
    return f->bytes;
}

static unsigned char *regions_of(struct frame *f)
{
    return f->bytes + model->size;
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);

    if (!p)
        memory_overflow("states for this machine's memory");
    return p;
}

/* ---- threads to images and back ---- */

static struct image *save_thread(int t)
{
    struct thread *thread = &vm.thread[t];
    struct fiber *f = &thread->fiber;
    size_t stack = (size_t)(f->stack + f->bytes - f->low), selves = 0, at = 0;
    struct image *i;

    for (int k = 0; k < vm.selves; k++)
        selves += vm.self[k].bytes;
    i = allocate(sizeof *i + selves + stack);
    i->users = 1;
    i->life = thread->life;
    memcpy(i->registers, f->registers, sizeof i->registers);
    i->low = f->low;
    i->self_bytes = selves;
    i->stack_bytes = stack;
    for (int k = 0; k < vm.selves; at += vm.self[k++].bytes)
        memcpy(i->bytes + at, vm.self[k].at, vm.self[k].bytes);
    memcpy(i->bytes + selves, f->low, stack);
    return i;
}

static void load_thread(int t, const struct image *i)
{
    struct thread *thread = &vm.thread[t];
    size_t at = 0;

    thread->life = i->life;
    memcpy(thread->fiber.registers, i->registers, sizeof i->registers);
    thread->fiber.low = i->low;
    for (int k = 0; k < vm.selves; at += vm.self[k++].bytes)
        memcpy(vm.self[k].at, i->bytes + at, vm.self[k].bytes);
    memcpy(i->low, i->bytes + i->self_bytes, i->stack_bytes);
    /* what it will call finds no traces of what was called before */
    memset(i->low - SCRUBBED, 0, SCRUBBED);
}

static void release(struct image *i)
{
    if (--i->users == 0)
        free(i);
}

/* All that decides what the thread does next: what it is about to do is not on
   its stack. */
static void hash_image(struct image *i)
{
    const struct step *s = &i->life.step;
    uint64_t words[] = { (uint64_t)i->life.status, i->life.stopped,
                         i->life.later, (uint64_t)s->kind, s->access.value,
                         s->access.expected, (uint64_t)s->access.place,
                         (uint64_t)(uintptr_t)s->site, (uint64_t)s->n,
                         s->mask, s->writes, (uint64_t)(uintptr_t)s->condition,
                         (uint64_t)(uintptr_t)s->arg };

    i->hash = memory_hash(words, sizeof words, 1);
    if (i->life.status == STATUS_GONE)
        return;
    i->hash = memory_hash(i->registers, sizeof i->registers, i->hash);
    i->hash = memory_hash(i->bytes, i->self_bytes + i->stack_bytes, i->hash);
}

static void save_regions(struct frame *f)
{
    unsigned char *to = regions_of(f);

    for (int k = 0; k < vm.regions; to += vm.region[k++].bytes)
        memcpy(to, vm.region[k].at, vm.region[k].bytes);
}

static void load_regions(struct frame *f)
{
    unsigned char *from = regions_of(f);

    for (int k = 0; k < vm.regions; from += vm.region[k++].bytes)
        memcpy(vm.region[k].at, from, vm.region[k].bytes);
}

/* ---- what may happen next ---- */

static uint64_t binomial(int n, int k)
{
    uint64_t b = 1;

    for (int i = 0; i < k; i++)
        b = b * (uint64_t)(n - i) / (uint64_t)(i + 1);
    return b;
}

/* Who sleeps where this wake reaches, as a set of bits. */
static unsigned sleepers(struct frame *f, const struct step *wake)
{
    unsigned set = 0;

    for (int t = 0; t < vm.threads; t++) {
        const struct life *life = &f->image[t]->life;

        if (life->status == STATUS_ASLEEP && (life->step.mask & wake->mask) &&
            life->step.access.place == wake->access.place)
            set |= 1u << t;
    }
    return set;
}

/* The choice-th subset of the set with n members; all of it if it has no more. */
static unsigned subset(unsigned set, int n, int choice)
{
    if (__builtin_popcount(set) <= n)
        return set;
    for (unsigned s = set;; s = (s - 1) & set)
        if (__builtin_popcount(s) == n && choice-- == 0)
            return s;
}

static int choices_of(struct frame *f, int t)
{
    const struct life *life = &f->image[t]->life;
    const struct step *s = &life->step;
    int n;

    if (life->status == STATUS_ASLEEP)
        return f->spurious > 0;
    if (life->status == STATUS_GONE)
        return 0;
    switch (s->kind) {
    case STEP_ACCESS:
    case STEP_WAIT: return model->choices(memory_of(f), t, &s->access);
    case STEP_CHOOSE: return s->n;
    case STEP_AWAIT: return s->condition(s->arg);
    case STEP_WAKE:
        n = __builtin_popcount(sleepers(f, s));
        return n > s->n ? (int)binomial(n, s->n) : 1;
    case STEP_FENCE: return refuse ? 2 : 1;
    case STEP_TOUCH:
    case STEP_END: break;
    }
    return 1;
}

/* The regions are those of f.  A mortal thread may stop instead of its step. */
static void find_choices(struct frame *f)
{
    f->thread = f->choice = 0;
    for (int t = 0; t < vm.threads; t++) {
        const struct life *life = &f->image[t]->life;

        f->choices[t] = (unsigned char)choices_of(f, t);
        if (vm.thread[t].mortal && life->status == STATUS_READY)
            f->choices[t]++;
    }
}

/* ---- one step ---- */

/* Puts what thread t has become into the frame. */
static void keep(struct frame *f, int t)
{
    struct image *i = save_thread(t);

    hash_image(i);
    release(f->image[t]);
    f->image[t] = i;
}

/* Thread t, asleep until now, has nothing else to do than to go on. */
static void awaken(struct frame *f, int t)
{
    load_thread(t, f->image[t]);
    vm.thread[t].life.status = STATUS_READY;
    vm.thread[t].life.step.kind = STEP_CHOOSE;
    vm.thread[t].life.step.n = 1;
    keep(f, t);
}

static void wake(struct frame *f, const struct step *s, int choice)
{
    unsigned set = subset(sleepers(f, s), s->n, choice);

    for (int t = 0; t < vm.threads; t++)
        if (set >> t & 1)
            awaken(f, t);
}

static void touch(struct frame *f, int t, const struct step *s)
{
    if (!model->touch(memory_of(f), t, &s->access, s->writes))
        vm_failed(s->writes ? "a data race: written without having seen the "
                              "last write and all reads"
                            : "a data race: read without having seen the "
                              "last write");
}

/* In frame f, a copy of the one before: thread t does its step. */
static void act(struct frame *f, int t, int choice)
{
    struct step s = f->image[t]->life.step;
    struct life *life = &vm.thread[t].life;
    uint64_t result = 1;

    if (f->image[t]->life.status == STATUS_ASLEEP) {
        f->spurious--;
        awaken(f, t);
        return;
    }
    acting = f;
    load_thread(t, f->image[t]);
    if (vm.thread[t].mortal && choice == choices_of(f, t)) {
        life->status = STATUS_GONE;
        life->stopped = true;
        keep(f, t);
        return;
    }
    switch (s.kind) {
    case STEP_ACCESS:
    case STEP_WAIT:
        if (s.kind == STEP_WAIT) { /* may leave less to choose from */
            int n;

            model->lock(memory_of(f), t, s.access.place);
            n = model->choices(memory_of(f), t, &s.access);
            if (n > choices_of(f, t))
                memory_overflow("stores to a word that is waited at");
            choice = choice < n ? choice : n - 1;
        }
        result = model->act(memory_of(f), t, &s.access, choice);
        if (s.kind == STEP_WAIT && result == s.access.expected) {
            life->status = STATUS_ASLEEP;
            keep(f, t);
            return;
        }
        break;
    case STEP_TOUCH: touch(f, t, &s); break;
    case STEP_FENCE:
        result = choice == 0;
        if (result)
            model->fence(memory_of(f), t);
        break;
    case STEP_WAKE:
        model->lock(memory_of(f), t, s.access.place);
        result = (uint64_t)__builtin_popcount(sleepers(f, &s));
        if (result > (uint64_t)s.n)
            result = (uint64_t)s.n;
        wake(f, &s, choice);
        load_thread(t, f->image[t]);
        break;
    case STEP_CHOOSE: result = (uint64_t)choice; break;
    case STEP_AWAIT: break;
    case STEP_END:
        model->exit(memory_of(f), t);
        life->status = STATUS_GONE;
        keep(f, t);
        return;
    }
    vm_resume(t, result);
    keep(f, t);
}

/* ---- states ---- */

static uint64_t hash_frame(struct frame *f)
{
    uint64_t h = model->hash(memory_of(f), f->spurious);

    for (int t = 0; t < vm.threads; t++)
        h = memory_hash(&f->image[t]->hash, sizeof h, h);
    return memory_hash(regions_of(f), region_bytes, h);
}

static struct known *find(uint64_t hash)
{
    size_t at = hash & (table_size - 1);

    while (table[at].used && table[at].hash != hash)
        at = (at + 1) & (table_size - 1);
    return &table[at];
}

static struct known *map_table(size_t size)
{
    void *p = mmap(NULL, size * sizeof *table, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        memory_overflow("states for this machine's memory");
    return p;
}

static void grow_table(void)
{
    struct known *old = table;
    size_t old_size = table_size;

    table_size = old_size ? 2 * old_size : 1 << 16;
    table = map_table(table_size);
    for (size_t i = 0; i < old_size; i++)
        if (old[i].used)
            *find(old[i].hash) = old[i];
    if (old)
        munmap(old, old_size * sizeof *old);
}

/* A new state: f, at the end of the path. */
static void enter(struct frame *f, struct known *k)
{
    f->number = f->low = ++numbers;
    f->leaves = false;
    *k = (struct known){ f->hash, f->number, 1 };
    states++;
    if (component_size == component_room) {
        component_room = component_room ? 2 * component_room : 1 << 12;
        component = realloc(component, component_room * sizeof *component);
        if (!component)
            memory_overflow("states for this machine's memory");
    }
    component[component_size++] = f->hash;
}

uint64_t vm_newest(int place)
{
    uint64_t values[MODEL_PLACES];
    void *copy = allocate(model->size);

    model->copy(copy, memory_of(acting));
    model->settle(copy, values);
    free(copy);
    return values[place];
}

static void judge_end(struct frame *f)
{
    uint64_t values[MODEL_PLACES];

    ends++;
    f->leaves = true;
    if (!vm.verify)
        return;
    model->settle(memory_of(f), values); /* nobody needs the memory again */
    vm_run_directly(values, vm.verify);
}

/* The step last tried from f is one that the program does: no thread stopped for
   ever, nor woke for nothing.  Only such steps lead to the end. */
static bool is_its_own_doing(struct frame *f)
{
    const struct life *life = &f->image[f->thread]->life;

    if (life->status == STATUS_ASLEEP)
        return false;
    return !vm.thread[f->thread].mortal ||
           f->choice < f->choices[f->thread];
}

/* All steps from f have been tried. */
static void leave(struct frame *f)
{
    struct frame *before = depth > 0 ? frame_at(depth - 1) : NULL;

    if (f->low == f->number) {
        if (!f->leaves)
            vm_failed("from here on the end cannot be reached");
        while (component[component_size - 1] != f->hash)
            find(component[--component_size])->number = 0;
        find(component[--component_size])->number = 0;
        if (before)
            before->leaves |= is_its_own_doing(before);
    } else {
        before->leaves |= f->leaves;
        if (f->low < before->low)
            before->low = f->low;
    }
    for (int t = 0; t < vm.threads; t++)
        release(f->image[t]);
}

/* ---- the search ---- */

static bool all_gone(const struct frame *f)
{
    for (int t = 0; t < vm.threads; t++)
        if (f->image[t]->life.status != STATUS_GONE)
            return false;
    return true;
}

/* Frame `depth` has been filled: goes into it if it is new. */
static void look_at(struct frame *f)
{
    struct frame *before = depth > 0 ? frame_at(depth - 1) : NULL;
    struct known *k;

    save_regions(f);
    f->hash = hash_frame(f);
    if (2 * states >= table_size)
        grow_table();
    k = find(f->hash);
    if (k->used) {
        if (k->number && k->number < before->low)
            before->low = k->number;
        else if (!k->number)
            before->leaves |= is_its_own_doing(before);
        for (int t = 0; t < vm.threads; t++)
            release(f->image[t]);
        depth--;
        return;
    }
    enter(f, k);
    find_choices(f);
    if (all_gone(f))
        judge_end(f);
    if (depth > deepest)
        deepest = depth;
}

/* The next step from the frame, in a frame after it.  False: there is none. */
static bool go_on(struct frame *f)
{
    struct frame *next;
    int t, choice;

    while (f->thread < vm.threads && f->choice >= f->choices[f->thread])
        f->thread++, f->choice = 0;
    if (f->thread == vm.threads)
        return false;
    t = f->thread;
    choice = f->choice++;
    if (depth + 1 == DEEPEST)
        memory_overflow("steps on one path");
    next = frame_at(++depth);
    *next = *f;
    next->choice = 0; /* nothing was tried from there, for tell() */
    model->copy(memory_of(next), memory_of(f));
    memcpy(regions_of(next), regions_of(f), region_bytes);
    for (int i = 0; i < vm.threads; i++)
        next->image[i]->users++;
    load_regions(next);
    act(next, t, choice);
    steps++;
    look_at(next);
    return true;
}

static void search(void)
{
    struct frame *root = frame_at(0);

    model->init(memory_of(root), vm.threads, vm.places, vm.value);
    for (int t = 0; t < vm.threads; t++) {
        vm_resume(t, 0);
        root->image[t] = save_thread(t);
        hash_image(root->image[t]);
    }
    look_at(root);
    while (depth >= 0) {
        struct frame *f = frame_at(depth);

        if (go_on(f))
            continue;
        leave(f);
        depth--;
    }
}

/* ---- words ---- */

static void describe(struct frame *f, int t, int choice)
{
    static const char *const kinds[] = { "loads", "stores", "changes",
                                         "compares" };
    static const char *const others[] = {
        [STEP_TOUCH] = "touches", [STEP_FENCE] = "fences all",
        [STEP_WAIT] = "waits at", [STEP_WAKE] = "wakes at",
        [STEP_CHOOSE] = "goes on", [STEP_AWAIT] = "goes on",
        [STEP_END] = "returns"
    };
    const struct life *life = &f->image[t]->life;
    const struct step *s = &life->step;
    const char *file = s->site ? strrchr(s->site->file, '/') : NULL;
    bool shown = s->kind == STEP_ACCESS || s->kind == STEP_WAIT;

    printf("# %3d: thread %d ", (int)((unsigned char *)f - frames) /
                                    (int)frame_bytes, t);
    if (vm.thread[t].mortal && choice == choices_of(f, t)) {
        printf("stops for ever\n");
        return;
    }
    printf("%s", life->status == STATUS_ASLEEP ? "wakes up at" :
                 s->kind == STEP_ACCESS ? kinds[s->access.kind] :
                                          others[s->kind]);
    if (shown || s->kind == STEP_TOUCH || s->kind == STEP_WAKE)
        printf(" %s", vm.name[s->access.place]);
    if (s->kind == STEP_CHOOSE)
        printf(" with %d", choice);
    if (shown && life->status != STATUS_ASLEEP) {
        unsigned char *copy = allocate(model->size);

        model->copy(copy, memory_of(f));
        printf(" [%#llx %#llx]", (unsigned long long)s->access.expected,
               (unsigned long long)s->access.value);
        printf(" -> %#llx", (unsigned long long)model->act(copy, t, &s->access,
                                                           choice));
        free(copy);
    }
    if (s->site)
        printf("  (%s:%d)", file ? file + 1 : s->site->file, s->site->line);
    printf("\n");
}

void vm_failed(const char *what)
{
    static char text[256];

    if (!frames) { /* in model_setup() */
        fprintf(stderr, "%s\n", what);
        exit(2);
    }
    snprintf(text, sizeof text, "%s", what);
    failure = text;
    _longjmp(failed, 1);
}

/* The choices made are in the frames: one past the step, as go_on() left it. */
static void tell(void)
{
    printf("# FAILED: %s\n# after these steps:\n", failure);
    for (int i = 0; i <= depth; i++) {
        struct frame *f = frame_at(i);

        load_regions(f);
        if (f->thread < vm.threads && f->choice > 0)
            describe(f, f->thread, f->choice - 1);
    }
}

/* Of the CPU's time: others may be at work. */
static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    const char *memory;
    double start = seconds();
    int spurious;

    vm_setup(argc, argv);
    memory = vm_argument("memory");
    if (memory && strcmp(memory, "views") == 0)
        model = &memory_views;
    else if (memory && strcmp(memory, "buffers") != 0)
        return fprintf(stderr, "memory=%s: buffers or views\n", memory), 2;
    spurious = model_number("spurious", 0);
    refuse = model_number("refuse", 0);
    if (!vm_arguments_are_known())
        return 2;
    for (int k = 0; k < vm.regions; k++)
        region_bytes += vm.region[k].bytes;
    frame_bytes = (sizeof(struct frame) + model->size + region_bytes + 15) /
                  16 * 16;
    frames = mmap(NULL, DEEPEST * frame_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (frames == MAP_FAILED)
        memory_overflow("frames");
    grow_table();
    frame_at(0)->spurious = (unsigned char)spurious;
    if (_setjmp(failed) == 0)
        search();
    else
        tell();
    printf("# %s: %zu states, %llu steps, %llu ends, %d steps deep, %.1f s\n",
           model->name, states, (unsigned long long)steps,
           (unsigned long long)ends, deepest, seconds() - start);
    return failure ? 1 : 0;
}
