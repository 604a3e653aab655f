#!/bin/sh
# numa.sh - the code of doc/numa.md compiles, and does what numa.c expects of it.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

guide=$source/doc/numa.md

# All code in one file; lines keep their numbers.
program()
{
    echo '#include <stdio.h>'
    echo '#include <stdlib.h>'
    echo '#include <tweed.h>'
    echo "#line 1 \"$guide\""
    sed 's/^    //; t
        s/.*//' "$guide"
    echo "#line 1 \"$source/t/install/numa.c\""
    cat "$source/t/install/numa.c"
}

compiles()
{
    $CC -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-missing-prototypes $SANITIZER_FLAGS \
        -I"$source/include" "$work/numa.c" -o "$work/numa" $(link_with_any) -pthread
}

on_two_nodes()
{
    TWEED_TOPOLOGY=nodes:2,cpus:2 "$work/numa"
}

forget_options
program > "$work/numa.c"
plan 3
expect "the code of doc/numa.md compiles" compiles
expect "and is right" "$work/numa"
expect "on a machine of two nodes, too" on_two_nodes
finish
