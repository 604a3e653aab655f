#!/bin/sh
# abi.sh - a program that was compiled with an earlier version runs with this library, which
# has all symbols that were ever released.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

once_only
[ -f "$shared" ] || skip_all "no shared library"
nm -D --with-symbol-versions "$shared" > "$work/nm" 2> /dev/null || skip_all "no nm"
forget_options

# A record begins with the soname; then "NODE FUNCTION", a line each.
of_record() # VERSION LIBRARY
{
    sed -n "s/^$2 //p" "$source/t/abi/$1.symbols"
}

soname()
{
    sed -n 's/^soname //p' "$source/t/abi/$1.symbols"
}

# All of a version's symbols, each in its node; others may have come.
exported() # VERSION
{
    sed -n 's/.* T \(tweed_[a-z0-9_]*\)@@*\(TWEED_[0-9.]*\)$/\2 \1/p' "$work/nm" |
        sort > "$work/now"
    of_record "$1" tweed | sort > "$work/then"
    [ -s "$work/then" ] && [ -z "$(comm -23 "$work/then" "$work/now")" ] && return
    comm -23 "$work/then" "$work/now"
    return 1
}

# What the program was linked with: a library of that version's symbols, and nothing else.
stub() # VERSION
{
    mkdir -p "$work/stub"
    of_record "$1" tweed | sed 's/.* \(.*\)/void \1(void);\nvoid \1(void) {}/' > "$work/stub.c"
    {
        echo "$(of_record "$1" tweed | sed 's/ .*//' | sort -u) { global:"
        of_record "$1" tweed | sed 's/.* //; s/$/;/'
        echo "local: *; };"
    } > "$work/stub.map"
    $CC -shared -fPIC "$work/stub.c" -o "$work/stub/libtweed.so" \
        -Wl,-soname,"$(soname "$1")" -Wl,--version-script="$work/stub.map"
}

linked() # VERSION
{
    $CC -std=c11 -O2 -Wall -Wextra $SANITIZER_FLAGS -pthread "$source/t/abi/$1.c" \
        -o "$work/old" -L"$work/stub" -ltweed
}

runs()
{
    LD_BIND_NOW=1 LD_LIBRARY_PATH=$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        seen 0 "$work/old"
}

# doc/abi.md has each function that only inline code calls.
described()
{
    for name in $(sed -n 's/.* T \(tweed_[a-z0-9_]*_\)@.*/\1/p' "$work/nm"); do
        grep -q "\`$name\`" "$source/doc/abi.md" && continue
        echo "$name is not in doc/abi.md"
        return 1
    done
}

plan 5
expect "the functions of 1.0 are there, in their node" exported 1.0
expect "a library of these alone" stub 1.0
expect "a program of 1.0 is linked with that" linked 1.0
expect "and runs with the library of today" runs
expect "doc/abi.md has each function of inline code" described
finish
