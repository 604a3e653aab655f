#!/bin/sh
# model-threads.sh - the drivers of t/model as programs with real threads.
# SPDX-License-Identifier: MIT
#
# `make check-genmc` gives them to GenMC, where there is one. That they compile,
# and run, is seen here.

. "${top_srcdir:-.}/t/support/tap.sh"

# compile DRIVER
compile()
{
    # $CC may hold options, and so must be split
    # shellcheck disable=SC2086
    $CC -O1 -DGENMC=0 -Wall -Wextra -pthread -I"$source/include" -I"$source/lib" -I"$build" \
        -o "$work/$1" "$source/t/model/$1.c"
}

# several DRIVER: runs it a few times
several()
{
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        "$work/$1" || return 1
    done
}

plan 22
for driver in range deque copies fork tasks loops sleep end counts jobs ranks; do
    expect "$driver.c compiles for real threads" compile $driver
    expect "$driver.c runs with real threads" several $driver
done
finish
