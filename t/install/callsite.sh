#!/bin/sh
# callsite.sh - what compilers and debuggers make of loops in a user's program:
# silence, errors on the user's lines, vector instructions, breakpoints in the braces.
# Without TWEED_TEST_MATRIX=yes: the compiler of the build, and fewer of its levels.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
long_only
. "${top_srcdir:-.}/t/support/compilers.sh"

forget_options

# ---- programs ----

# All that the headers offer, in both languages; main() checks what came out.
cat > all.c <<'END'
#include <tweed.h>

struct vectors {
    double few[100]; /* in a loop of a known length it would be left */
    float a;
    const float *x;
    float *y;
};

TWEED_LOOP(saxpy, i, struct vectors *, v)
{
    v->y[i] += v->a * v->x[i];
}

TWEED_SIMD_LOOP(saxpy_simd, i, struct vectors *, v)
{
    v->y[i] += v->a * v->x[i];
}

TWEED_SIMD_LOOP(fill, i, struct vectors *, v)
{
    v->few[i] += 7 + v->few[i];
}

TWEED_LOOP(skip, k, const float *, x)
{
    if (x[k] < 0)
        return;
}

TWEED_LOOP(nothing, index)
{
}

TWEED_LOOP(not_called, index)
{
}

static void each(int64_t i, void *arg)
{
    ((struct vectors *)arg)->y[i] += 1;
}

static void range(int64_t begin, int64_t end, void *arg)
{
    for (int64_t i = begin; i < end; i++)
        each(i, arg);
}

int main(void)
{
    static float x[1000], y[1000];
    struct vectors v = { { 0 }, 3, x, y };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int bad = 0;

    o.grain = 8;
    for (int i = 0; i < 1000; i++)
        x[i] = (float)i;
    bad |= saxpy(0, 1000, &v);
    bad |= saxpy_with(0, &o, 0, 1000, &v);
    bad |= saxpy_simd(0, 1000, &v);
    bad |= saxpy_simd_with(0, &o, 0, 1000, &v);
    bad |= fill(0, 100, &v);
    bad |= skip(0, 1000, x);
    bad |= nothing(0, 1000);
    bad |= tweed_parallel_for(0, 1000, each, &v);
    bad |= tweed_parallel_for_with(0, &o, 0, 1000, each, &v);
    bad |= tweed_parallel_for_range(0, 1000, range, &v);
    bad |= tweed_parallel_for_range_with(0, &o, 0, 1000, range, &v);
    for (int i = 0; i < 1000; i++)
        bad |= (int)y[i] != 12 * i + 4;
    return bad || (int)(v.few[0] + v.few[50] + v.few[99]) != 21;
}
END
# ... and as C++ writes it
sed -e 's/((struct vectors \*)arg)/static_cast<vectors *>(arg)/' \
    -e 's/(float)i/static_cast<float>(i)/' -e 's/(int)y\[i\]/static_cast<int>(y[i])/' \
    -e 's/(int)(v.few/static_cast<int>(v.few/' -e 's/_with(0,/_with(nullptr,/' \
    -e 's/main(void)/in_c()/' \
    -e 's/^int in_c/static int in_c/' all.c > all.cc
cat >> all.cc <<'END'
#include <tweed.hpp>

namespace elsewhere {
TWEED_LOOP(saxpy, i, vectors *, v)
{
    v->y[i] = v->x[i];
}
} // namespace elsewhere

int main()
{
    static float x[1000], y[1000];
    vectors v = { { 0 }, 3, x, y };
    const auto add = [&](int64_t i) { y[i] += 1; };
    int bad = in_c();

    for (int i = 0; i < 1000; i++)
        x[i] = static_cast<float>(i);
    bad |= elsewhere::saxpy(0, 1000, &v);
    tweed::parallel_for(0, 1000, [&](int64_t i) { y[i] += x[i]; });
    tweed::parallel_for(0, 1000, add);
    tweed::parallel_for_range(0, 1000, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; i++)
            add(i);
    });
    for (int i = 0; i < 1000; i++)
        bad |= static_cast<int>(y[i]) != 2 * i + 2;
    return bad;
}
END

silent_c()
{
    for flags in "-std=c11 -O2" "-std=gnu11 -O0" "-std=c17 -O3" "-std=c11 -O1 -g"; do
        has_matrix || [ "$flags" = "-std=c11 -O2" ] || continue
        each_c silent "$flags $warnings $c_warnings" all.c || return 1
    done
}

silent_cxx()
{
    for flags in "-std=c++11 -O2" "-std=gnu++11 -O0" "-std=c++17 -O3" \
        "-std=c++11 -O1 -g"; do
        has_matrix || [ "$flags" = "-std=c++11 -O2" ] || continue
        each_cxx silent "$flags $warnings $cxx_warnings" all.cc || return 1
    done
}

runs_c()
{
    for level in -O0 $(matrix -O1 -O2) -O3; do
        each_of_ours c runs "-std=c11 $level" all.c || return 1
    done
}

runs_cxx()
{
    for level in -O0 $(matrix -O1 -O2) -O3; do
        each_of_ours cxx runs "-std=c++11 $level" all.cc || return 1
    done
}

# ---- errors ----

cat > type-error.c <<'END'
#include <tweed.h>
struct point { double x; };
TWEED_LOOP(move, i, struct point *, p)
{
    p[i].x += 1;
    p[i].y += 1; /* line 6: there is no y */
}
int main(void) { struct point p[1] = { { 0 } }; return move(0, 1, p); }
END

cat > wrong-data.c <<'END'
#include <tweed.h>
struct point { double x; };
TWEED_LOOP(move, i, struct point *, p)
{
    p[i].x += 1;
}
int main(void)
{
    double y[1] = { 0 };

    return move(0, 1, y); /* line 11: these are no points */
}
END

cat > constant-data.c <<'END'
#include <tweed.h>
struct point { double x; };
TWEED_LOOP(move, i, const struct point *, p)
{
    p[i].x += 1; /* line 5: they are constant */
}
int main(void)
{
    struct point p[1] = { { 0 } };

    return move(0, 1, p);
}
END

# What a body must not do, as it is no loop and has a value or none: line 4.
mistake() # NAME LIST STATEMENT
{
    printf '#include <tweed.h>\n%s\n{\n    %s }\n' "$2" "$3" > "$1.c"
}
mistake continue 'TWEED_LOOP(loop, i, int *, x)' 'if (x[i]) continue; x[i] = 1;'
mistake value 'TWEED_LOOP(loop, i, int *, x)' 'return x[i] = 1;'
mistake no-value 'TWEED_SUM(int, sum, i, int *, x)' 'if (x[i]) return; return x[i];'
mistake no-return 'TWEED_SUM(int, sum, i, int *, x)' 'x[i] = 1;'

told_mistakes() # COMPILER
{
    for mistake in continue value no-value no-return; do
        reported 4 $mistake.c "$1 -Wall" || return 1
    done
}

cat > lambda.cc <<'END'
#include <tweed.hpp>
int main()
{
    const int total = 0;
    tweed::parallel_for(0, 1, [&](int64_t i) {
        total += i; /* line 6: it is constant */
    });
}
END

as_cxx()
{
    for file in type-error wrong-data constant-data; do
        cp $file.c $file.cc
    done
}

# ---- disassembly ----

cat > kernel.c <<'END'
#include <tweed.h>
LOOP(saxpy, i, float *, y, const float *, x, float, a)
{
    y[i] += a * x[i];
}
int call(int64_t n, float *y, const float *x);
int call(int64_t n, float *y, const float *x) { return saxpy(0, n, y, x, 2); }
END

# Bytes may lie over anything, but not over an argument.
cat > bytes.c <<'END'
#include <tweed.h>
TWEED_SIMD_LOOP(add, i, unsigned char *, y, const unsigned char *, x, unsigned char, a)
{
    y[i] = (unsigned char)(a + x[i]);
}
int call(int64_t n, unsigned char *y, const unsigned char *x, unsigned char a);
int call(int64_t n, unsigned char *y, const unsigned char *x, unsigned char a)
{
    return add(0, n, y, x, a);
}
END

cat > kernel.cc <<'END'
#include <tweed.hpp>
void call(int64_t n, float a, const float *x, float *y);
void call(int64_t n, float a, const float *x, float *y)
{
    tweed::parallel_for(0, n, [=](int64_t i) { y[i] += a * x[i]; });
}
END

can_disassemble()
{
    echo '#if !defined __x86_64__ || !defined __GNUC__
#error
#endif' > machine.c
    $CC -E machine.c > /dev/null 2>&1 && objdump --version > /dev/null 2>&1
}

# packed: FLAGS FILE COMPILER: the loop computes with several numbers at a time.  gcc 11
# vectorises nothing at -O2 without being asked.
packed()
{
    echo '#if !defined __clang__ && __GNUC__ < 12
#error
#endif' > old.c
    asked=
    $3 -E old.c > /dev/null 2>&1 || asked=-ftree-vectorize
    # shellcheck disable=SC2086
    $3 $1 $asked $include -c "$2" -o packed.o &&
        objdump -d packed.o > packed.s &&
        { grep -E '[[:space:]]v?mulps|vfmadd[0-9]*ps|paddb' packed.s > /dev/null ||
            { echo "no vectors: $1 $2"; return 1; }; }
}

# ---- linking ----

cat > address.c <<'END'
#include <tweed.h>
typedef int loop(int64_t, int64_t, tweed_index_fn *, void *);
static loop *const table[] = { tweed_parallel_for, &tweed_parallel_for };
static void each(int64_t i, void *arg) { ((int *)arg)[i]++; }
int main(void)
{
    static int count[100];
    int bad = 0;

    for (int k = 0; k < 2; k++)
        bad |= table[k](0, 100, each, count);
    for (int i = 0; i < 100; i++)
        bad |= count[i] != 2;
    return bad;
}
END

cat > symbol.c <<'END'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
typedef void each_fn(int64_t i, void *arg);
typedef void range_fn(int64_t begin, int64_t end, void *arg);
static void each(int64_t i, void *arg) { ((int *)arg)[i]++; }
static void range(int64_t b, int64_t e, void *arg) { while (b < e) each(b++, arg); }
int main(int argc, char **argv)
{
    static int count[100];
    int (*loop)(int64_t, int64_t, each_fn *, void *);
    int (*ranges)(int64_t, int64_t, range_fn *, void *);
    int (*with)(void *, void *, int64_t, int64_t, each_fn *, void *);
    int (*ranges_with)(void *, void *, int64_t, int64_t, range_fn *, void *);
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    int bad;

    if (!library)
        return puts(dlerror()), 1;
    *(void **)&loop = dlsym(library, "tweed_parallel_for");
    *(void **)&ranges = dlsym(library, "tweed_parallel_for_range");
    *(void **)&with = dlsym(library, "tweed_parallel_for_with");
    *(void **)&ranges_with = dlsym(library, "tweed_parallel_for_range_with");
    if (!loop || !ranges || !with || !ranges_with)
        return puts(dlerror()), 1;
    bad = loop(0, 100, each, count) | ranges(0, 100, range, count) |
          with(0, 0, 0, 100, each, count) |
          ranges_with(0, 0, 0, 100, range, count);
    for (int i = 0; i < 100; i++)
        bad |= count[i] != 4;
    return bad;
}
END

# Two files that have a loop of the same name, and not the same loop.
cat > one.c <<'END'
#include <tweed.h>
TWEED_LOOP(step, i, int *, y) { y[i] += 1; }
extern int other(int *y);
int main(void)
{
    static int y[100];
    int bad = step(0, 100, y) | other(y);

    for (int i = 0; i < 100; i++)
        bad |= y[i] != 101;
    return bad;
}
END
cat > two.c <<'END'
#include <tweed.h>
extern int other(int *y);
TWEED_LOOP(step, i, int *, y) { y[i] += 100; }
int other(int *y) { return step(0, 100, y); }
END

# A lambda in an inline function of a header: one loop, in two files.
cat > shared.hpp <<'END'
#include <tweed.hpp>
#include <vector>
template <class T> void add(std::vector<T> &y, T value)
{
    tweed::parallel_for(0, static_cast<int64_t>(y.size()), [&](int64_t i) {
        y[static_cast<size_t>(i)] += value;
    });
}
inline void add_one(std::vector<int> &y)
{
    tweed::parallel_for(0, static_cast<int64_t>(y.size()), [&](int64_t i) {
        y[static_cast<size_t>(i)]++;
    });
}
void other(std::vector<int> &y);
END
cat > one.cc <<'END'
#include "shared.hpp"
int main()
{
    std::vector<int> y(100);
    bool bad = false;

    add(y, 10);
    add_one(y);
    other(y);
    for (int value : y)
        bad |= value != 1111 + 11;
    return bad;
}
END
cat > two.cc <<'END'
#include "shared.hpp"
void other(std::vector<int> &y)
{
    add(y, 10);
    add_one(y);
    add(y, 1100);
}
END

# The same two without exceptions in one of them.
mixed()
{
    # shellcheck disable=SC2046,SC2086
    $CXX $SANITIZER_FLAGS -std=c++11 $include -c one.cc -o one.o &&
        $CXX $SANITIZER_FLAGS -std=c++11 $include -fno-exceptions -c two.cc \
            -o two.o &&
        $CXX $SANITIZER_FLAGS one.o two.o -o mixed $(link_with_any) -pthread &&
        ./mixed
}

cat > without.cc <<'END'
#include <tweed.hpp>
int main()
{
    static int y[100];
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int bad = tweed::parallel_for(0, 100, [](int64_t i) { y[i]++; });

    o.grain = -1;
    bad |= tweed::parallel_for_range(
               0, 100, [](int64_t b, int64_t) { y[b] += 100; }, nullptr, &o) !=
           TWEED_EINVAL;
    for (int value : y)
        bad |= value != 1;
    return bad;
}
END

linked() # LIBRARY COMPILER FILE
{
    # shellcheck disable=SC2046,SC2086
    $2 $SANITIZER_FLAGS $include "$3" -o linked $(link_with "$1") -pthread &&
        ./linked
}

by_symbol()
{
    # shellcheck disable=SC2086
    $CC $SANITIZER_FLAGS symbol.c -o symbol -ldl && ./symbol "$shared"
}

# ---- a debugger ----

cat > stop.c <<'END'
#include <tweed.h>
TWEED_LOOP(look, i, double *, y, const double *, x, double, a)
{
    y[i] += a * x[i]; /* line 4 */
}
int main(void)
{
    static double x[] = { 1, 2, 3 }, y[3];
    return look(2, 3, y, x, 0.5) || y[2] < 1.5;
}
END
echo 'int main(void) { return 0; }' > plain.c

stop_at() # PROGRAM LOCATION COMMAND...: what gdb says
{
    program=$1 location=$2
    shift 2
    gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex "break $location" \
        -ex run "$@" -ex continue ./"$program" < /dev/null 2>&1
}

# gdb is there, and may trace a process
can_debug()
{
    gdb --version > /dev/null 2>&1 && $CC -g plain.c -o plain &&
        stop_at plain main | grep '^Breakpoint 1, main' > /dev/null
}

# Stops in the braces, by file and line, and shows the index and the arguments by their
# names; what the compiler has left of their values is not the same at -O2.
stops_in_braces() # FLAGS
{
    # shellcheck disable=SC2046,SC2086
    $CC $1 -g $include stop.c -o stop $(link_with_any) -pthread || return 1
    stop_at stop stop.c:4 -ex 'info args' > stop.log
    cat stop.log
    case $1 in
    *-O0*) grep -x 'i = 2' stop.log && grep -x 'a = 0.5' stop.log || return 1 ;;
    esac
    for argument in i y x a; do
        grep "^$argument = " stop.log || return 1
    done
    grep 'Breakpoint 1[.0-9]*, look_tweed_body (.*) at stop.c:4' stop.log &&
        grep 'exited normally' stop.log
}

# ---- the tests ----

plan 29
expect "C: silent, whatever the warnings and the level" silent_c
expect "C: right at every level" runs_c
expect "C: an error in the braces is on its line" \
    each_c reported 6 type-error.c
expect "C: writing to constant data, too" each_c reported 5 constant-data.c
expect "C: wrong data is an error, or warned of, on the caller's line" \
    each_c reported 11 wrong-data.c
expect "C: continue and a wrong return are told on their line" each_c told_mistakes
if can_disassemble; then
    expect "TWEED_SIMD_LOOP is vectorised at -O2" \
        each_c packed "-O2 -DLOOP=TWEED_SIMD_LOOP" kernel.c
    expect "TWEED_LOOP is vectorised at -O3" \
        each_c packed "-O3 -DLOOP=TWEED_LOOP" kernel.c
    expect "no store changes an argument: a loop over bytes" each_c packed -O2 bytes.c
else
    skip 3 "no objdump, or not an x86-64 that gcc or clang compiles for"
fi
expect "&tweed_parallel_for" each_of_ours c runs "-std=c11 -O2" address.c
if [ -f "$shared" ]; then
    expect "linked with the shared library" linked "$shared" "$CC" all.c
    case $SANITIZER_FLAGS in
    '') expect "the loops are found by dlsym()" by_symbol ;;
    *) skip 1 "a library with a sanitizer is not to be opened late" ;;
    esac
else
    skip 2 "no shared library"
fi
if [ -f "$static" ]; then
    expect "linked with the static library" linked "$static" "$CC" all.c
else
    skip 1 "no static library"
fi
expect "two files with a loop of the same name" \
    each_of_ours c runs "-std=c11 -O2" "one.c two.c"
case $SANITIZER_FLAGS in
'')
    echo 'int main(void) { return 0; }' > have.c
    if $CC -fsanitize=address,undefined have.c -o have > /dev/null 2>&1 && ./have
    then
        expect "C: nothing for AddressSanitizer and UBSan to say" \
            runs "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover" \
            all.c "$CC"
    else
        skip 1 "no AddressSanitizer"
    fi
    if can_debug; then
        expect "gdb stops in the braces: -O0" stops_in_braces -O0
        expect "gdb stops in the braces: -O2" stops_in_braces -O2
    else
        skip 2 "no gdb that may trace"
    fi ;;
*) skip 3 "the library has a sanitizer inside" ;;
esac
if [ -n "$cxx_compilers" ]; then
    as_cxx
    expect "C++: silent, whatever the warnings and the level" silent_cxx
    expect "C++: right at every level" runs_cxx
    expect "C++: an error in the braces is on its line" \
        each_cxx reported 6 type-error.cc
    expect "C++: writing to constant data, too" \
        each_cxx reported 5 constant-data.cc
    expect "C++: wrong data is an error on the caller's line" \
        each_cxx reported 11 wrong-data.cc
    expect "C++: an error in a lambda is on its line" \
        each_cxx reported 6 lambda.cc
    if can_disassemble; then
        expect "a lambda is vectorised at -O3" each_cxx packed -O3 kernel.cc
    else
        skip 1 "no objdump, or not an x86-64 that gcc or clang compiles for"
    fi
    expect "a header's lambda in two files" \
        each_of_ours cxx runs "-std=c++11 -O2" "one.cc two.cc"
    expect "in one of them without exceptions" mixed
    expect "without exceptions the result is returned" \
        each_of_ours cxx runs "-std=c++11 -O2 -fno-exceptions" without.cc
    expect "without run-time type information" \
        each_of_ours cxx runs "-std=c++11 -O2 -fno-rtti" all.cc
    case $SANITIZER_FLAGS in
    '')
        if $CXX -fsanitize=address,undefined -x c++ have.c -o have > /dev/null 2>&1 &&
            ./have; then
            expect "C++: nothing for AddressSanitizer and UBSan to say" \
                runs "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover" \
                all.cc "$CXX"
        else
            skip 1 "no AddressSanitizer"
        fi ;;
    *) skip 1 "the library has a sanitizer inside" ;;
    esac
else
    skip 12 "no C++11 compiler"
fi
finish
