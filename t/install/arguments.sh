#!/bin/sh
# arguments.sh - loops and tasks with none, one and ten arguments, in every standard, and
# what is said of a list that is none.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
long_only
. "${top_srcdir:-.}/t/support/compilers.sh"

forget_options

# ---- every macro ----

# The arguments of the loops that have so many, what they are given, and whether they are
# what they should be.  A task's have 48 bytes at most.
cat > each.h <<'END_OF_FILE'
#include <stdbool.h>
#include <tweed.h>

struct point { double x, y; };
struct wide { double x; } __attribute__((__aligned__(64)));
typedef double fn(double);

#define TAKE_0
#define GIVE_0
#define IS_RIGHT_0 1
#define TAKE_1 , const double *, q
#define GIVE_1 , given
#define IS_RIGHT_1 (q[1] == 7)
#define TAKE_10 \
    , int8_t, a, const bool, b, float, c, long double, d, fn *, f, const struct point, p, \
    const double *const, q, struct wide, w, unsigned long long, u, struct point *, r
#define GIVE_10 , -1, true, 2, 4, half, from, given, wide, 8, &point
#define IS_RIGHT_10 \
    (a == -1 && b && c == 2 && d == 4 && f(p.x) == 4.5 && p.y == 3 && q[1] == 7 && \
     w.x == 5 && u == 8 && r->y == 6)
#define TAKE_TASK_0
#define TAKE_TASK_1 TAKE_1
#define TAKE_TASK_10 \
    , int8_t, a, bool, b, short, c, int, d, float, e, double, f, char, g, unsigned char, h, \
    unsigned, k, const double *, q
#define GIVE_TASK_0
#define GIVE_TASK_1 GIVE_1
#define GIVE_TASK_10 , -1, true, 2, 3, 4, 5, 'g', 6, 7, given
#define IS_RIGHT_TASK_0 1
#define IS_RIGHT_TASK_1 IS_RIGHT_1
#define IS_RIGHT_TASK_10 \
    (a == -1 && b && c == 2 && d == 3 && e == 4 && f == 5 && g == 'g' && h == 6 && k == 7 && \
     q[1] == 7)

static const double given[] = { 0, 7 };
static struct wide wide = { 5 };
static struct point point = { 0, 6 };
static struct point from = { 9, 3 };
static tweed_pool *pool; /* the default one */
static int64_t counted;

static inline double half(double x)
{
    return x / 2;
}

static inline void count(int right)
{
    __atomic_fetch_add(&counted, right, __ATOMIC_RELAXED);
}
END_OF_FILE

# @ is 0, 1 or 10; each line makes a loop of 100 indices.
cat > macros <<'END_OF_FILE'
TWEED_LOOP(loop@, i TAKE_@) { count(IS_RIGHT_@); }
TWEED_SIMD_LOOP(simd@, i TAKE_@) { count(IS_RIGHT_@); }
TWEED_LOOP_2D(loop_2d@, i, j TAKE_@) { count(IS_RIGHT_@); }
TWEED_SIMD_LOOP_2D(simd_2d@, i, j TAKE_@) { count(IS_RIGHT_@); }
TWEED_LOOP_3D(loop_3d@, i, j, k TAKE_@) { count(IS_RIGHT_@); }
TWEED_SIMD_LOOP_3D(simd_3d@, i, j, k TAKE_@) { count(IS_RIGHT_@); }
TWEED_SUM(int, sum@, i TAKE_@) { return IS_RIGHT_@; }
TWEED_COMPENSATED_SUM(double, careful@, i TAKE_@) { return IS_RIGHT_@; }
TWEED_MIN(int, least@, 5, i TAKE_@) { return -IS_RIGHT_@; }
TWEED_MAX(int, most@, -5, i TAKE_@) { return IS_RIGHT_@; }
TWEED_REDUCE(int, all@, 0, TWEED_PLUS, e, i TAKE_@) { *e += IS_RIGHT_@; }
TWEED_SUM_2D(int, sum_2d@, i, j TAKE_@) { return IS_RIGHT_@; }
TWEED_MIN_2D(int, least_2d@, 5, i, j TAKE_@) { return -IS_RIGHT_@; }
TWEED_MAX_2D(int, most_2d@, -5, i, j TAKE_@) { return IS_RIGHT_@; }
TWEED_REDUCE_2D(int, all_2d@, 0, TWEED_PLUS, e, i, j TAKE_@) { *e += IS_RIGHT_@; }
TWEED_SUM_3D(int, sum_3d@, i, j, k TAKE_@) { return IS_RIGHT_@; }
TWEED_MIN_3D(int, least_3d@, 5, i, j, k TAKE_@) { return -IS_RIGHT_@; }
TWEED_MAX_3D(int, most_3d@, -5, i, j, k TAKE_@) { return IS_RIGHT_@; }
TWEED_REDUCE_3D(int, all_3d@, 0, TWEED_PLUS, e, i, j, k TAKE_@) { *e += IS_RIGHT_@; }
TWEED_SCAN(int, scan@, 0, TWEED_PLUS, e, writes, i TAKE_@) { *e += IS_RIGHT_@; count(writes); }
TWEED_FIND(find@, i TAKE_@) { return i == 50 && IS_RIGHT_@; }
TWEED_TRY(attempt@, i TAKE_@) { return i == 50 && IS_RIGHT_@ ? 7 : 0; }
TWEED_TASK(int, task@ TAKE_TASK_@) { return IS_RIGHT_TASK_@; }
static int use_@(void)
{
    const int64_t before = counted;
    tweed_outcome o = TWEED_OUTCOME_INIT;
    int64_t found;
    int result = 0, bad = loop@(0, 100 GIVE_@) | loop@_with(pool, NONE, 0, 100 GIVE_@);

    bad |= simd@(0, 100 GIVE_@) | simd@_with(pool, NONE, 0, 100 GIVE_@);
    bad |= loop_2d@(0, 10, 0, 10 GIVE_@) | loop_2d@_with(pool, NONE, 0, 10, 0, 10 GIVE_@);
    bad |= simd_2d@(0, 10, 0, 10 GIVE_@) | loop_3d@(0, 2, 0, 5, 0, 10 GIVE_@);
    bad |= simd_3d@(0, 2, 0, 5, 0, 10 GIVE_@);
    bad |= sum@_with(pool, NONE, 0, 100 GIVE_@, &result) || result != 100;
    bad |= sum@(0, 100 GIVE_@) != 100 || careful@(0, 100 GIVE_@) < 100;
    bad |= least@(0, 100 GIVE_@) != -1 || most@(0, 100 GIVE_@) != 1;
    bad |= all@(0, 100 GIVE_@) != 100 || sum_2d@(0, 10, 0, 10 GIVE_@) != 100;
    bad |= least_2d@(0, 10, 0, 10 GIVE_@) != -1 || most_2d@(0, 10, 0, 10 GIVE_@) != 1;
    bad |= all_2d@(0, 10, 0, 10 GIVE_@) != 100;
    bad |= sum_3d@(0, 2, 0, 5, 0, 10 GIVE_@) != 100;
    bad |= least_3d@(0, 2, 0, 5, 0, 10 GIVE_@) != -1;
    bad |= most_3d@(0, 2, 0, 5, 0, 10 GIVE_@) != 1;
    bad |= all_3d@(0, 2, 0, 5, 0, 10 GIVE_@) != 100;
    bad |= scan@(0, 100 GIVE_@) != 100;
    bad |= scan@_with(pool, NONE, 0, 100 GIVE_@, &result) || result != 100;
    bad |= find@(0, 100 GIVE_@) != 50;
    bad |= find@_with(pool, NONE, 0, 100 GIVE_@, &found) || found != 50;
    bad |= attempt@(0, 100 GIVE_@, &o) != TWEED_ESTOPPED || o.index != 50 || o.code != 7;
    bad |= attempt@_with(pool, NONE, 0, 100 GIVE_@) != TWEED_ESTOPPED;
    bad |= TWEED_RUN(task@ GIVE_TASK_@) != 1;
    return bad || counted - before != 1100;
}
END_OF_FILE
{
    cat each.h
    echo '#define NONE NULL'
    for many in 0 1 10; do
        sed "s/@/$many/g" macros
    done
    echo 'int main(void) { return use_0() || use_1() || use_10(); }'
} > each.c
sed 's/#define NONE NULL/#define NONE nullptr/' each.c > each.cc

# A standard that a compiler does not have is passed over.
silent_in() # LANGUAGE WARNINGS FILE STANDARDS
{
    language=$1 asked=$2 file=$3
    shift 3
    for standard; do
        for each in $([ "$language" = c ] && echo "$c_compilers" || echo "$cxx_compilers"); do
            $each -std="$standard" -fsyntax-only -x "$language" have.c 2> /dev/null || continue
            silent "-std=$standard -fsyntax-only $warnings $asked" "$file" "$each" ||
                { echo "this was with $each, $standard"; return 1; }
        done
    done
}

# ---- arguments that are used otherwise ----

cat > otherwise.c <<'END_OF_FILE'
#include <tweed.h>
typedef int64_t row[4];
/* the start names an argument; a body changes its own copy; a row is an array */
TWEED_MAX(int, most, limit, i, const int *, x, int, limit) { return x[i] - (limit = 0); }
TWEED_LOOP(fill, fill_, row *, rows, int64_t, fill) { rows[fill_][1] = fill++; }
/* an array whose rows have as many elements as an argument says: C++ has none */
#ifndef __cplusplus
TWEED_LOOP(transpose, i, int, n, void *, to_, void *, from_)
{
    double (*to)[n] = to_, (*from)[n] = from_;

    for (int j = 0; j < n; j++)
        to[i][j] = from[j][i];
}
static int is_transposed(int n)
{
    double a[n][n], b[n][n];
    double (*rows)[n] = b;
    int bad = 0;

    for (int k = 0; k < n * n; k++)
        rows[k / n][k % n] = k;
    transpose(0, n, n, a, rows);
    for (int k = 0; k < n * n; k++)
        bad |= a[k / n][k % n] != b[k % n][k / n];
    return !bad;
}
#else
#define is_transposed(n) true
#endif
#define BOTH const int *, x, const int *, y
TWEED_SUM(int, dot, i, BOTH) { return x[i] * y[i]; }
typedef signed char tiny;
TWEED_TASK(int, sixteen, tiny, a, tiny, b, tiny, c, tiny, d, tiny, e, tiny, f, int, g, int, h,
           int, i, int, j, int, k, int, l, int, m, int, n, int, o, int, p)
{
    return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p;
}
TWEED_SUM(int, all, a, int, b, int, c, int, d, int, e, int, f, int, g, int, h, int, i, int, j,
          int, k, int, l, int, m, int, n, int, o, int, p, int, q)
{
    return (int)a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q;
}
int main(void)
{
    static row rows[100];
    static int x[100];
    int bad = 0;

    for (int i = 0; i < 100; i++)
        x[i] = i;
    bad |= most(0, 100, x, 7) != 99 || most(0, 5, x, 7) != 7;
    bad |= fill(0, 100, rows, 3) || dot(0, 100, x, x) != 328350;
    for (int i = 0; i < 100; i++)
        bad |= rows[i][1] != 3;
    bad |= !is_transposed(7);
    bad |= all(1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) != 153;
    return bad ||
           TWEED_RUN(sixteen, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) != 136;
}
END_OF_FILE

# ---- lists that are none ----

wrong() # NAME: the lines behind the includes; the third one is told
{
    { printf '#include <tweed.h>\n\n'; cat; } > "$1.c"
    cp "$1.c" "$1.cc"
}
wrong odd <<'END_OF_FILE'
TWEED_LOOP(loop, i, double *, y, const double *) { y[i] = 0; }
END_OF_FILE
wrong missing <<'END_OF_FILE'
TWEED_SUM(double, sum, i, x, const double *, y) { return x[i] * y[i]; }
END_OF_FILE
wrong task <<'END_OF_FILE'
TWEED_TASK(int, task, int) { return 1; }
END_OF_FILE
# What is wrong stands before the arguments.
wrong start <<'END_OF_FILE'
TWEED_MAX(double, peak, i, const double *, x) { return x[i]; }
END_OF_FILE
wrong writes <<'END_OF_FILE'
TWEED_SCAN(double, up, 0, TWEED_PLUS, e, i, const double *, x) { *e += x[i]; }
END_OF_FILE
wrong result <<'END_OF_FILE'
TWEED_SUM(sum, i, const double *, x) { return x[i]; }
END_OF_FILE
wrong identity <<'END_OF_FILE'
TWEED_REDUCE(struct pair, all, {0, 0}, add, e, i, const double *, x) { e->a += x[i]; }
END_OF_FILE
wrong index <<'END_OF_FILE'
TWEED_LOOP(loop, double *, y) { y[0] = 0; }
END_OF_FILE
wrong word <<'END_OF_FILE'
TWEED_LOOP(loop) { }
END_OF_FILE
wrong row <<'END_OF_FILE'
TWEED_MAX_2D(double, peak, i, j, const double *, x) { return x[i + j]; }
END_OF_FILE
wrong void <<'END_OF_FILE'
TWEED_LOOP(loop, i, void, none) { }
END_OF_FILE
wrong type <<'END_OF_FILE'
TWEED_LOOP_2D(loop, i, j, duoble *, y) { y[i] = y[j]; }
END_OF_FILE

told() # SUFFIX COMPILER
{
    while read -r list form; do
        reported 3 "$list.$1" "$2" < /dev/null &&
            grep -F "error: $form, type, argument, ...: each argument is a type and a name, and 16 are the most" \
                reported.log ||
            return 1
    done <<'END_OF_FILE'
odd name, index
missing T, name, index
task T, name
start T, name, start, index
writes T, name, identity, combine, acc, writes, index
result T, name, index
identity T, name, identity, combine, acc, index
index name, index
word name, index
row T, name, start, index
END_OF_FILE
    for list in void type; do
        reported 3 $list."$1" "$2" || return 1
    done
}

# Far too many: of each macro, and the message is the same.
cat > too-many <<'END_OF_FILE'
name, index=TWEED_LOOP(f, i@) { }
name, index=TWEED_LOOP_2D(f, i, j@) { }
name, index=TWEED_LOOP_3D(f, i, j, k@) { }
T, name, index=TWEED_SUM(int, f, i@) { return 1; }
T, name, start, index=TWEED_MAX_2D(int, f, 0, i, j@) { return 1; }
T, name, identity, combine, acc, index=TWEED_REDUCE_3D(int, f, 0, TWEED_PLUS, e, i, j, k@) { *e += 1; }
T, name, identity, combine, acc, writes, index=TWEED_SCAN(int, f, 0, TWEED_PLUS, e, w, i@) { *e += w; }
name, index=TWEED_TRY(f, i@) { return 0; }
name, index=TWEED_FIND(f, i@) { return 0; }
T, name=TWEED_TASK(int, f@) { return 1; }
END_OF_FILE

told_many() # SUFFIX COMPILER
{
    list= many=0
    while [ $many -lt 31 ]; do
        many=$((many + 1)) list="$list, int, a$many"
        case $many in
        17 | 18 | 31) ;;
        *) continue ;;
        esac
        while IFS== read -r form macro; do
            echo "$macro" | sed "s/@/$list/" | wrong many
            reported 3 many."$1" "$2" < /dev/null &&
                grep -F "error: $form, type, argument, ...: each argument is a type and a name, and 16 are the most" \
                    reported.log || { echo "of $many: $macro"; return 1; }
        done < too-many || return 1
    done
}

# ---- two files ----

# Loops and tasks of one name and other arguments; macros with short names.
cat > two.cc <<'END_OF_FILE'
#define list_ 1
#define odd_ 2
#define n_ 3
#include <tweed.h>
TWEED_LOOP(scale, i, double *, x, double, f) { x[i] *= f; }
TWEED_MIN(double, least, most, i, const double *, x, double, most) { return x[i]; }
TWEED_COMPENSATED_SUM(double, sum, i, const double *, x) { return x[i]; }
TWEED_TASK(int, task, int, k) { return k; }
TWEED_TASK(int, tasks, int, k)
{
    TWEED_SPAWN(task, k);
    int one = TWEED_CALL(task, 1);
    return TWEED_SYNC(task) + one;
}
int other(void);
int main(void)
{
    double x[3] = { 1, 2, 3 };

    scale(0, 3, x, 2);
    return least(0, 3, x, 3) < 2 || sum(0, 3, x) < 12 || TWEED_RUN(tasks, 5) != 6 || other();
}
END_OF_FILE
cat > other.cc <<'END_OF_FILE'
#include <tweed.h>
TWEED_LOOP(scale, i, float *, x) { x[i] *= 2; }
TWEED_COMPENSATED_SUM(float, sum, i, const float *, x) { return x[i]; }
TWEED_TASK(int, task, int, k, int, l) { return k + l; }
int other(void);
int other(void)
{
    float x[2] = { 1, 2 };

    scale(0, 2, x);
    return sum(0, 2, x) < 6 || TWEED_RUN(task, 1, 2) != 3;
}
END_OF_FILE

# gcc compares what two files mean by a name when it links the whole program.
two_files() # COMPILER
{
    case $("$1" --version) in
    *clang*) whole= ;;
    *) whole=-flto ;;
    esac
    runs "-std=c++11 -O1 -Wall -Wextra -Werror $whole" "two.cc other.cc" "$1"
}

# ---- the tests ----

plan 11
expect "C: silent, in C11 and of the matrix C17, C23" \
    silent_in c "$c_warnings" each.c c11 $(matrix c17 c2x)
expect "C: right with none, one and ten" each_of_ours c runs "-std=c11 -O1 -Wno-psabi" each.c
expect "C: right where they are used otherwise" \
    each_of_ours c runs "-std=c11 -O1" otherwise.c
expect "C: what is no list is told on the user's line" each_c told c
expect "C: nor are 17 to 31 arguments" each_c told_many c
if [ -n "$cxx_compilers" ]; then
    expect "C++: silent, in C++11, C++20 and of the matrix all to C++23" \
        silent_in c++ "$cxx_warnings" each.cc c++11 $(matrix c++14 c++17) c++20 $(matrix c++2b)
    expect "C++: right with none, one and ten" each_of_ours cxx runs "-std=c++11 -O1 -Wno-psabi" each.cc
    cp otherwise.c otherwise.cc
    expect "C++: right where they are used otherwise" \
        each_of_ours cxx runs "-std=c++11 -O1" otherwise.cc
    expect "C++: what is no list is told on the user's line" each_cxx told cc
    expect "C++: nor are 17 to 31 arguments" each_cxx told_many cc
    expect "C++: two files may have loops of one name" each_of_ours cxx two_files
else
    skip 6 "no C++11 compiler"
fi
finish
