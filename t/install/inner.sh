#!/bin/sh
# inner.sh - a body with a loop of its own takes what it takes without tweed, whatever
# -O3 makes of it: instructions, counted by callgrind.  No compiler warns of it.
#
# SPDX-License-Identifier: MIT
#
# One worker claims index after index, since valgrind is slow.  The token makes it look
# at the clock, which a pool of one worker else does not.
. "${top_srcdir:-.}/t/support/tap.sh"
once_only

forget_options
cd "$work" || exit 99

# form_N() runs a form of N; serial_loop() or serial_sum() is what it is compared with.
cat > forms.h <<'END'
#define COUNT 128
#define LENGTH 8000
int x[LENGTH], y[COUNT]; /* others may write what they are */
static volatile int64_t n = COUNT; /* a length that no compiler knows */

/* What gcc would rather vectorise across i. */
static inline int inner(int64_t i)
{
    int sum = 0;

    for (int k = 0; k < LENGTH; k++) {
        int d = x[k] - x[i];
        sum += d * d * d;
    }
    return sum;
}
#ifdef __clang__
#define RUN __attribute__((noinline)) static
#else
#define RUN __attribute__((noinline, noclone)) static
#endif

RUN void serial_loop(void)
{
    for (int64_t i = 0, past = n; i < past; i++)
        y[i] = inner(i);
}

RUN void serial_sum(void)
{
    int sum = 0;

    for (int64_t i = 0, past = n; i < past; i++)
        sum += inner(i);
    y[0] = sum;
}
END

cat > forms.c <<'END'
#include <tweed.h>
#include "forms.h"

static void add(int *into, const int *from) { *into += *from; }
TWEED_LOOP(loop_each, i) { y[i] = inner(i); }
TWEED_SIMD_LOOP(simd_each, i) { y[i] = inner(i); }
TWEED_LOOP_2D(plane_each, i, j) { y[i * 16 + j] = inner(i * 16 + j); }
TWEED_LOOP_3D(space_each, h, i, j)
{
    y[h * 32 + i * 16 + j] = inner(h * 32 + i * 16 + j);
}
TWEED_SUM(int, sum_each, i) { return inner(i); }
TWEED_REDUCE(int, reduce_each, 0, add, e, i) { *e += inner(i); }

static tweed_token token;
static tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
RUN int form_loop(void) { return loop_each_with(0, &o, 0, n); }
RUN int form_simd(void) { return simd_each_with(0, &o, 0, n); }
RUN int form_plane(void) { return plane_each_with(0, &o, 0, n / 16, 0, 16); }
RUN int form_space(void) { return space_each_with(0, &o, 0, n / 32, 0, 2, 0, 16); }
RUN int form_sum(void) { return sum_each_with(0, &o, 0, n, y); }
RUN int form_reduce(void) { return reduce_each_with(0, &o, 0, n, y); }

int main(void)
{
    (void)!loop_each(0, 1); /* which starts the pool */
    o.token = &token;
    serial_loop();
    serial_sum();
    return form_loop() | form_simd() | form_plane() | form_space() | form_sum() |
           form_reduce();
}
END

cat > forms.cc <<'END'
#include <tweed.hpp>
#include "forms.h"
static tweed::token token;
static tweed::loop_options o;

RUN void form_loop()
{
    tweed::parallel_for(0, +n, [](int64_t i) { y[i] = inner(i); }, o);
}
RUN void form_elements()
{
    tweed::parallel_for(&y[0], &y[n], [](int &e) { e = inner(&e - y); }, o);
}
RUN void form_plane()
{
    tweed::parallel_for_2d(0, n / 16, 0, 16, [](int64_t i, int64_t j) {
        y[i * 16 + j] = inner(i * 16 + j);
    }, o);
}
RUN void form_space()
{
    tweed::parallel_for_3d(0, n / 32, 0, 2, 0, 16, [](int64_t h, int64_t i, int64_t j) {
        y[h * 32 + i * 16 + j] = inner(h * 32 + i * 16 + j);
    }, o);
}
RUN void form_sum()
{
    y[0] = tweed::parallel_sum(0, +n, [](int64_t i) { return inner(i); }, o);
}
RUN void form_reduce()
{
    y[0] = tweed::parallel_reduce(0, +n, 0, [](int64_t i, int &e) { e += inner(i); },
                                  [](int &into, int from) { into += from; }, o);
}
RUN void form_value()
{
    y[0] = tweed::parallel_reduce(0, +n, 0, [](int64_t i) { return inner(i); },
                                  [](int &into, int from) { into += from; }, o);
}

int main()
{
    tweed::parallel_for(0, 1, [](int64_t) {}); // which starts the pool
    o.token(token);
    serial_loop();
    serial_sum();
    form_loop();
    form_elements();
    form_plane();
    form_space();
    form_sum();
    form_reduce();
    form_value();
}
END

# Old valgrinds fail at what clang writes for debuggers, and shared libraries have it.
library=$static
[ -f "$library" ] || library=$shared

# counted FILE COMPILER: what each function took, with all that it calls, in `counts`
counted()
{
    # shellcheck disable=SC2046
    $2 -O3 -march=x86-64-v3 -Wall -Werror "-I$source/include" "$1" -o forms \
        $(link_with "$library") -Wl,--strip-debug -pthread || return 1
    TWEED_NUM_WORKERS=1 valgrind --tool=callgrind --callgrind-out-file=forms.out \
        ./forms > valgrind.log 2>&1 || { cat valgrind.log; return 1; }
    callgrind_annotate --inclusive=yes --threshold=100 forms.out |
        sed -n 's/^ *\([0-9,]*\) .*:\(\(serial\|form\)_[a-z]*\)\(()\)\{0,1\} \[.*/\2 \1/p' |
        tr -d , > counts
}

# no_dearer FILE COMPILER FORMS: none takes 1.3 times the instructions of the serial loop
no_dearer()
{
    counted "$1" "$2" || return 1
    awk -v forms="$3" '
        { count[$1] = $2 }
        END {
            bad = !count["serial_loop"] || !count["serial_sum"]
            number = split(forms, form, " ")
            for (k = 1; k <= number; k++) {
                serial = form[k] ~ /sum|reduce|value/ ? "serial_sum" : "serial_loop"
                ratio = bad ? 0 : count["form_" form[k]] / count[serial]
                printf "%s %.2f\n", form[k], ratio
                failed = failed || ratio < 0.1 || ratio > 1.3
            }
            exit failed
        }' counts
}

echo 'int main(void) { return 0; }' > have.c
if [ -n "$SANITIZER_FLAGS" ]; then
    skip_all "the library has a sanitizer inside"
elif ! grep -w avx2 /proc/cpuinfo > /dev/null 2>&1; then
    skip_all "this CPU is no x86-64-v3"
elif ! $CC -march=x86-64-v3 have.c -o have > /dev/null 2>&1; then
    skip_all "the compiler knows no x86-64-v3"
elif ! valgrind ./have > /dev/null 2>&1; then
    skip_all "no valgrind here (Debian: apt-get install valgrind)"
fi

plan 2
expect "C: a body with a loop inside, in every form" \
    no_dearer forms.c "$CC" "loop simd plane space sum reduce"
if $CXX -std=c++11 -march=x86-64-v3 -x c++ have.c -o have > /dev/null 2>&1; then
    expect "C++: a body with a loop inside, in every form" \
        no_dearer forms.cc "$CXX" "loop elements plane space sum reduce value"
else
    skip 1 "no C++11 compiler"
fi
finish
