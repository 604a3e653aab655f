#!/bin/sh
# instructions.sh - make check-instructions: what the fast paths take, by callgrind.
#
# SPDX-License-Identifier: MIT
#
#   instructions.sh CEILINGS PROGRAM    bench/instructions.txt bench/instructions
#
# Counts do not depend on the machine or on what else runs there, as times do: this
# may fail, where a timed test may not.  They do depend on the compiler: with
# another than the ceilings are for, or other flags, they are only printed.
set -u
: "${CFLAGS=}" "${SANITIZER_FLAGS=}" "${LIBTOOL=}"
ceilings=$1 program=$2

if [ -n "$SANITIZER_FLAGS" ]; then
    echo "1..0 # SKIP built with $SANITIZER_FLAGS"
    exit 0
fi
if ! command -v valgrind > /dev/null; then
    echo "1..0 # SKIP no valgrind here (Debian: apt-get install valgrind)"
    exit 0
fi
log=$(mktemp "${TMPDIR:-/tmp}/tweed-instructions.XXXXXX") || exit 1
trap 'rm -f "$log"' EXIT
build="$("$program") $CFLAGS"
recorded=$(sed -n 's/^for //p' "$ceilings")
skip=''
[ "$build" = "$recorded" ] || skip=" # SKIP no ceilings for $build"

# count NAME TIMES: prints the units done and the instructions they took.
count() {
    units=$($LIBTOOL --mode=execute valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null --toggle-collect=measured \
        --log-file="$log" "$program" "$1" "$2" < /dev/null) || return
    echo "$units $(sed -n 's/^==.*Collected : //p' "$log")"
}

# judge CEILING UNITS INSTRUCTIONS UNITS INSTRUCTIONS: what one unit takes, from
# two sizes; fails if that is too much.
judge() {
    awk -v most="$1" -v u="$2" -v i="$3" -v u2="$4" -v i2="$5" 'BEGIN {
        if (u2 <= u || i2 <= i) {
            printf "?"
            exit 1
        }
        each = (i2 - i) / (u2 - u)
        printf "%.2f", each
        exit each > most
    }'
}

n=0 failed=0
while read -r name most what; do
    case $name in '' | '#'* | for) continue ;; esac
    n=$((n + 1))
    # Other threads are in the count where they wake: what is too much is counted once more.
    for attempt in first again; do
        good='' second=''
        first=$(count "$name" 1) && second=$(count "$name" 2)
        if [ $? = 77 ]; then
            echo "ok $n - $name # SKIP no membarrier(2) here"
            continue 2
        fi
        # shellcheck disable=SC2086 # two words each, or none
        each=$(judge "$most" ${first:-0 0} ${second:-0 0}) && break
        good='not '
        [ "$attempt" = again ] || echo "# $name: $each"
    done
    [ -z "$skip" ] || [ "$each" = '?' ] || good=''
    [ "$each" != '?' ] || tail -n 5 "$log" | sed 's/^/# /'
    [ -z "$good" ] || failed=$((failed + 1))
    echo "${good}ok $n - $name: $each instructions, at most $most: $what$skip"
done < "$ceilings"
echo "1..$n"
[ "$failed" = 0 ] && [ "$n" -gt 0 ]
