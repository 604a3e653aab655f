#!/bin/sh
# cases.sh - tweed-port makes of each file of t/port/cases what stands beside it: NAME.c becomes
# NAME.tweed.c, and what is left alone stands in NAME.left.  Both are compiled, the first by
# OpenMP, and print the same.  Ported twice is the same as once.  Without TWEED_TEST_LONG=yes
# one in sixteen is compiled and ported again.
#
# SPDX-License-Identifier: MIT
#
#   t/port/cases.sh --write    writes what is expected anew, to be read before it is kept
. "${top_srcdir:-.}/t/support/tap.sh"
once_only
. "${top_srcdir:-.}/t/support/launch.sh"

port=$build/tools/tweed-port
[ -x "$port" ] || skip_all "tweed-port is not built: no libclang"
echo 'int main(void) { return 0; }' > "$work/omp.c"
$CC -fopenmp "$work/omp.c" -o "$work/omp" 2> /dev/null && "$work/omp" ||
    skip_all "$CC has no OpenMP"
cd "$source/t/port/cases" || exit 99

# ported NAME.c: the file that is expected
ported()
{
    echo "${1%.*}.tweed.${1##*.}"
}

translate()
{
    "$port" "$1" -- -I"$source/include" -fopenmp-simd > "$work/ported.${1##*.}" 2> "$work/left"
    [ $? -le 1 ] || { cat "$work/left"; return 1; }
}

if [ "${1-}" = --write ]; then
    for case in *.c *.cc; do
        case $case in *.tweed.*) continue ;; esac
        translate "$case" && cp "$work/ported.${case##*.}" "$(ported "$case")"
        rm -f "${case%.*}.left"
        [ ! -s "$work/left" ] || cp "$work/left" "${case%.*}.left"
    done
    exit
fi

becomes()
{
    translate "$1" && diff -u "$(ported "$1")" "$work/ported.${1##*.}" || return 1
    if [ -f "${1%.*}.left" ]; then
        diff -u "${1%.*}.left" "$work/left"
    else
        [ ! -s "$work/left" ] || { cat "$work/left"; return 1; }
    fi
}

warnings="-Wall -Wextra -Werror -Wno-unknown-pragmas"
after_flags="-O1 -pthread $warnings $SANITIZER_FLAGS"

# What all files of C++11 include first, which g++ compiles once.  (With -fopenmp, and such a
# header, gcc 12 crashes.)
mkdir "$work/first"
is_long && $CXX -std=c++11 $after_flags -I"$source/include" -x c++-header "$source/include/tweed.hpp" \
    -o "$work/first/tweed.hpp.gch" 2> /dev/null

# What is left alone needs OpenMP still.
agrees()
{
    case $1 in
    *14*.cc) compiler="$CXX -std=c++14" ;;
    *17*.cc) compiler="$CXX -std=c++17" ;;
    *.cc) compiler="$CXX -std=c++11" ;;
    *) compiler="$CC -std=gnu11" ;;
    esac
    mode=-I$work/first
    [ ! -f "${1%.*}.left" ] || mode=-fopenmp
    $compiler -O1 -fopenmp "$1" -o "$work/before" -lm &&
        $compiler $after_flags $mode -I"$source/include" "$(ported "$1")" \
            -o "$work/after" $(link_with_any) -lm -pthread &&
        OMP_NUM_THREADS=3 "$work/before" > "$work/one" &&
        OMP_NUM_THREADS=3 "$work/after" > "$work/two" &&
        diff -u "$work/one" "$work/two"
}

twice()
{
    "$port" "$(ported "$1")" -- -I"$source/include" 2> /dev/null > "$work/again"
    diff -u "$(ported "$1")" "$work/again"
}

# A file whose function asks for the thread is ported; the region that calls it is OpenMP's.
asks_openmp()
{
    cat > "$work/region.c" << 'END'
#include <stdio.h>
#include <omp.h>
int elsewhere(void);
int main(void)
{
    int sum = 0, most = omp_get_max_threads();
#pragma omp parallel
    {
#pragma omp atomic
        sum += elsewhere();
    }
    printf("%d %d\n", most, sum);
    return 0;
}
END
    printf '#include <omp.h>\nint elsewhere(void);\nint elsewhere(void)\n{\n%s\n}\n' \
        "    return omp_get_thread_num() + 10 * omp_get_num_threads();" > "$work/elsewhere.c"
    "$port" -o "$work/asks.c" "$work/elsewhere.c" -- -I"$source/include" &&
        $CC -O1 -fopenmp $SANITIZER_FLAGS -I"$source/include" "$work/region.c" \
            "$work/asks.c" -o "$work/asks" $(link_with_any) -lm -pthread &&
        [ "$(OMP_NUM_THREADS=3 "$work/asks")" = "3 93" ]
}

# Ported headers define what both need once, where they meet in a file, or one is included twice.
headers_meet()
{
    for name in first second; do
        printf '%s\n' "#ifndef HEADER_$name" "#define HEADER_$name" \
            'static inline void add_'"$name"'(long *to, long by)' '{' '#pragma omp critical' \
            '    *to += by;' '}' '#endif' > "$work/$name.h"
        cp "$work/$name.h" "$work/$name.hpp"
    done
    cat > "$work/meet.c" << 'END'
#include "first.h"
#include "second.h"
#include "first.h"
#include <stdio.h>
int main(void)
{
    long sum = 0;
#pragma omp parallel for
    for (int i = 0; i < 30000; i++) {
        add_first(&sum, i % 3);
        add_second(&sum, i % 5);
#pragma omp critical
        sum += i % 2;
    }
    printf("%ld\n", sum);
    return 0;
}
END
    sed 's/\.h"/.hpp"/' "$work/meet.c" > "$work/meet.cc"
    for file in first.h second.h meet.c first.hpp second.hpp meet.cc; do
        "$port" -i "$work/$file" -- -I"$source/include" || return 1
    done
    $CC -O1 -Wall -Wextra -Werror $SANITIZER_FLAGS -I"$source/include" "$work/meet.c" \
        -o "$work/meet" $(link_with_any) -lm -pthread &&
        [ "$("$work/meet")" = 105000 ] &&
        $CXX -std=c++11 -O1 -Wall -Wextra -Werror $SANITIZER_FLAGS -I"$source/include" \
            "$work/meet.cc" -o "$work/meet" $(link_with_any) -lm -pthread &&
        [ "$("$work/meet")" = 105000 ]
}

set -- *.c *.cc
for case; do
    case $case in *.tweed.*) ;; *) cases="${cases-} $case" ;; esac
done
plan $(($(echo $cases | wc -w) * 3 + 2))
nth=0
for case in $cases; do
    expect "$case becomes $(ported "$case")" becomes "$case"
    nth=$((nth + 1))
    if is_long || [ $((nth % 16)) = 0 ]; then
        expect "$case and what it becomes print the same" agrees "$case"
        expect "$(ported "$case") stays as it is" twice "$case"
    else
        skip 2 "TWEED_TEST_LONG=yes compiles each, and ports each again"
    fi
done
expect "a ported function asks OpenMP for the thread of a region of another file" asks_openmp
expect "two ported headers meet in a file" headers_meet
finish
