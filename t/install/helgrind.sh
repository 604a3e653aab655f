#!/bin/sh
# helgrind.sh - valgrind's helgrind and drd have nothing to say of a right program, and
# report the race of a wrong one.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
long_only
forget_options

[ -z "$SANITIZER_FLAGS" ] || skip_all "no valgrind with a sanitizer"
for header in HELGRIND DRD; do
    grep -q "^#define HAVE_VALGRIND_${header}_H 1" "$build/config.h" ||
        skip_all "built without valgrind's headers"
done
valgrind --tool=helgrind -q true > "$work/output" 2>&1 || skip_all "no valgrind"

# Data go from the caller to the bodies, from bodies to the bodies of the next loop, and
# back; until another thread than the caller has had some of each.
cat > "$work/right.c" <<'C'
#include <tweed.h>

#define N 20000

TWEED_LOOP(fill, i, double *, x)
{
    x[i] = (double)i;
}

TWEED_LOOP(smooth, i, double *, y, const double *, x)
{
    for (int k = 0; k < 20; k++)
        y[i] += x[(i * 7 + k) % N] / (k + 1);
}

TWEED_SUM(double, sum, i, const double *, x)
{
    return x[i];
}

TWEED_TASK(long, fib, int, n)
{
    long b;

    if (n < 2)
        return n;
    TWEED_SPAWN(fib, n - 1);
    b = TWEED_CALL(fib, n - 2);
    return TWEED_SYNC(fib) + b;
}

static void by_pointer(int64_t i, void *arg)
{
    for (int k = 0; k < 20; k++)
        ((double *)arg)[i] += k;
}

/* 100 of these last longer than valgrind lets one thread run at a time. */
static int job(void *arg)
{
    for (int k = 0; k < 10000; k++)
        *(double *)arg += k;
    return 0;
}

static double x[N], y[N];

static int run(void)
{
    tweed_group g = TWEED_GROUP_INIT;
    int code = fill(0, N, x) + smooth(0, N, y, x);

    for (int i = 0; i < N; i++)
        x[i] += y[i];
    code += tweed_parallel_for(0, N, by_pointer, x);
    x[0] += sum(0, N, x);
    for (int i = 0; i < 100; i++)
        code += tweed_group_spawn(&g, job, &y[i]);
    code += tweed_group_sync(&g);
    for (int i = 0; i < 100; i++)
        code += tweed_pool_submit(NULL, job, &y[i]);
    code += tweed_pool_drain(NULL);
    for (int i = 0; i < 100; i++)
        x[1] += y[i];
    return code + (TWEED_RUN(fib, 16) != 987);
}

int main(void)
{
    tweed_stats s = TWEED_STATS_INIT;

    for (int k = 0; k < 200; k++)
        if (run() || tweed_stats_get(NULL, 1, &s))
            return 2;
        else if (k > 1 && s.indices && s.tasks_run)
            return 0;
    return 3;
}
C

# The two bodies wait for each other, so they do run on two threads.
cat > "$work/wrong.c" <<'C'
#include <sched.h>
#include <stdatomic.h>
#include <tweed.h>

static atomic_int met;

__attribute__((noinline)) static void meet(int n)
{
    atomic_fetch_add(&met, 1);
    while (atomic_load(&met) < 2 * n)
        sched_yield();
}

__attribute__((noinline)) static void spoil(volatile long *word)
{
    *word += 1;
}

TWEED_LOOP(bodies, i, volatile long *, word)
{
    for (int n = 1; n <= 20; n++) {
        meet(n);
        spoil(word);
    }
}

int main(void)
{
    static long word;

    return bodies(0, 2, &word);
}
C

# One binary for each library, and what a tool says of its run.
watched() # PROGRAM LIBRARY TOOL
{
    $CC -std=gnu11 -O1 -g -I"$source/include" "$work/$1.c" -o "$work/$1" \
        $(link_with "$2") -pthread || return 1
    TWEED_NUM_WORKERS=3 valgrind --tool="$3" --fair-sched=yes --error-exitcode=9 \
        --log-file="$work/log" "$work/$1"
    status=$?
    tail -n 60 "$work/log"
}

quiet() # LIBRARY TOOL
{
    watched right "$@"
    [ "$status" -eq 0 ] && grep 'ERROR SUMMARY: 0 errors' "$work/log"
}

# Where each race was met.
races()
{
    $AWK '/Possible data race|Conflicting (load|store)/ { met = 1; next }
        met && / at 0x/ { met = 0; sub(/.*: /, ""); print }' "$work/log"
}

reported() # LIBRARY TOOL: a race where the program has it, and none of the library's
{
    watched wrong "$@"
    races > "$work/races"
    [ "$status" -eq 9 ] && grep '^spoil (wrong.c' "$work/races" &&
        ! grep -v '(wrong.c:' "$work/races"
}

plan 8
for library in "$shared" "$static"; do
    name=$(basename "$library")
    if [ ! -f "$library" ]; then
        skip 4 "no $name"
        continue
    fi
    for tool in helgrind drd; do
        expect "$name: $tool has nothing to say of a right program" quiet "$library" $tool
        expect "$name: $tool reports a race of two bodies" reported "$library" $tool
    done
done
finish
