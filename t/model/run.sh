#!/bin/sh
# run.sh - runs the cases of the explorer of one size, as TAP.
# SPDX-License-Identifier: MIT
#
#   run.sh small|full|long PROGRAMS [JOBS]
#
# PROGRAMS is the folder of the drivers. Each line of the file `cases` is a test;
# its figures, and if it fails the steps that led there, are in the output.
set -u
size=${1:?small, full or long} programs=${2:?folder of the drivers} jobs=${3:-1}
cases=$(dirname "$0")/cases

# one "SIZE DRIVER ARGUMENTS": a result without a number, since several run at once
if [ "$size" = case ]; then
    set -- $4
    shift
    driver=$1
    shift
    output=$("$programs/$driver" "$@" 2>&1)
    status=$?
    figures=$(printf '%s\n' "$output" | tail -n 1)
    if [ $status = 0 ]; then
        printf 'ok - %s %s: %s\n' "$driver" "$*" "${figures#\# }"
    else
        printf 'not ok - %s %s\n%s\n' "$driver" "$*" "$output"
        exit 1
    fi
    exit 0
fi

list=$(case $size in
    small) grep '^small ' "$cases" ;;
    full) grep -E '^(small|full) ' "$cases" ;;
    long) grep '^long ' "$cases" ;;
    *) echo "run.sh: $size: small, full or long" >&2 ;;
esac)
[ -n "$list" ] || exit 2
echo "1..$(printf '%s\n' "$list" | wc -l)"
printf '%s\n' "$list" | tr '\n' '\0' |
    xargs -0 -r -n 1 -P "$jobs" sh "$0" case "$programs" "$jobs"
