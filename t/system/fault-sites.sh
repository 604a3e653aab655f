#!/bin/sh
# fault-sites.sh - no call of the library is forgotten by faults.def: each undefined
# symbol of its objects is made to fail there, or has a reason why it cannot.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
[ -z "${TWEED_TEST_COVERAGE-}" ] || skip_all 'gcov makes calls of its own'

archive=$build/lib/.libs/libtweed-internal.a

# What the objects need from others, without the compiler's own: sanitizers,
# coverage, stack protection, unwinding; and by the plain name where
# _FORTIFY_SOURCE has put its own before it.
outside()
{
    nm -u "$archive" | $AWK 'NF == 2 { print $2 }' |
        sed -e '/^__[atu]b*san_/d; /^__ubsan_/d; /^__sanitizer_/d' \
            -e '/^__gcov_/d; /^__llvm_/d; /^__atomic_/d; /^__start_/d' \
            -e '/^__stop_/d; /^__stack_chk_fail/d; /^_GLOBAL_OFFSET_TABLE_$/d' \
            -e '/^__gcc_personality_v0$/d; /^_Unwind_Resume$/d' \
            -e 's/^__\(.*\)_chk$/\1/' | sort -u > "$work/undefined"
    nm -g --defined-only "$archive" | $AWK 'NF == 3 { print $3 }' |
        sort -u > "$work/own"
    comm -23 "$work/undefined" "$work/own"
}

table()
{
    $AWK -v want="$1" -f "$source/t/system/faults.awk" \
        "$source/t/system/faults.def" | sort
}

all_listed()
{
    comm -23 "$work/outside" "$work/symbols" > "$work/missing"
    [ ! -s "$work/missing" ] && return
    echo "lib/ calls these, and t/system/faults.def does not know them:"
    cat "$work/missing"
    return 1
}

# A name of a fortified function cannot be stood before under its plain name.
all_stood_before()
{
    nm -u "$archive" | $AWK 'NF == 2 { print $2 }' |
        sed -n 's/^__\(.*\)_chk$/\1/p' | sort -u > "$work/fortified"
    [ -z "$(comm -12 "$work/fortified" "$work/wrapped")" ] && return
    echo "t/system/faults.def needs these by their __..._chk names:"
    comm -12 "$work/fortified" "$work/wrapped"
    return 1
}

once_each()
{
    $AWK -F '[(,]' '/^(FAULT|GIVE|FIRM)\(/ { print $2 }' \
        "$source/t/system/faults.def" | sort | uniq -d > "$work/twice"
    is_empty "$work/twice"
}

nm "$archive" > /dev/null 2>&1 || skip_all "no nm, or no archive that it reads"
outside > "$work/outside"
table symbols > "$work/symbols"
table wrapped > "$work/wrapped"

plan 4
expect "the library calls others" grep -q -x pthread_create "$work/outside"
expect "each call is made to fail, or cannot" all_listed
expect "each that is made to fail is stood before" all_stood_before
expect "and stands in one list" once_each
echo "# $(wc -l < "$work/outside") symbols, $(comm -12 "$work/outside" \
    "$work/wrapped" | wc -l) of them stood before"
finish
