#!/bin/sh
# soak.sh - the soak (t/soak/), for two seconds, and that it says what it should.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

soak=$build/t/soak/soak
[ -x "$soak" ] || skip_all "t/soak/soak is not built"

# Told to stop before its time it says what it did.
interrupted()
{
    "$soak" 100 7 > "$work/out" 2>&1 &
    pid=$!
    until grep -q '^soak: 100 s' "$work/out"; do
        sleep 0.1
        kill -0 $pid || break
    done
    kill -INT $pid
    wait $pid
    status=$?
    cat "$work/out"
    [ $status -eq 130 ] && grep 'indices, each once: [1-9]' "$work/out" &&
        grep 'seed 7$' "$work/out"
}

# refused TEXT COMMAND...: exit status 2, and one line with this text.
refused()
{
    text=$1
    shift
    seen 2 "$@" && is_empty "$work/out" && one_line_with "$work/err" "$text"
}

plan 6
expect "two seconds: nothing lost, nothing twice" "$soak" 2
expect "SIGINT: the totals, and the seed" interrupted
for value in 0 1x ''; do
    expect "a length of '$value' is refused by name" \
        refused "soak: SOAK_SECONDS is '$value'" "$soak" "$value"
done
expect "a seed that is no number is refused by name" \
    refused "soak: SOAK_SEED is '-1'" "$soak" 1 -1
finish
