#!/bin/sh
# short-name.sh - the short parallel_for takes three or four arguments, and no other
# number of them, in C and in C++.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

compiles() # language compiler... : the file on stdin compiles without warning
{
    language=$1
    shift
    "$@" -Wall -Wextra -Werror -pedantic -I"$source/include" -x "$language" \
        -fsyntax-only -
}

program()
{
    cat <<END
#include <tweed/short.h>
static void body(int64_t i, void *arg) { (void)i; (void)arg; }
int main(void) { (void)body; return parallel_for($1); }
END
}

c()
{
    program "$1" | compiles c $CC -std=c11
}

cxx()
{
    program "$1" | compiles c++ $CXX -std=c++11
}

tests()
{
    expect "$1: three arguments" "$2" '0, 9, body'
    expect "$1: four arguments" "$2" '0, 9, body, 0'
    for arguments in '0' '0, 9' '0, 9, body, 0, 0' '0, 9, body, 0, 0, 0' \
        '0, 9, body, 0, 0, 0, 0' '0, 9, body, 0, 0, 0, 0, 0'; do
        refuse "$1: not ($arguments)" "$2" "$arguments"
    done
}

plan 17
tests C11 c
c '0, 9' 2> "$work/message"
expect "C11: the message says why" \
    grep 'parallel_for() takes 3 or 4 arguments' "$work/message"
if echo 'int main() { auto x = 0; return x; }' |
    compiles c++ $CXX -std=c++11 2> /dev/null; then
    tests C++11 cxx
else
    skip 8 "no C++11 compiler"
fi
finish
