#!/bin/sh
# ranks.sh - the simulator of ranks repeats itself, counts every index, and loads end near
# the ideal. SPDX-License-Identifier: MIT
#
#   ranks.sh table   what make simulate-ranks prints: a table in markdown
. "${top_srcdir:-.}/t/support/tap.sh"

simulate=$build/t/sim/simulate-ranks
[ -x "$simulate" ] || skip_all "the simulator is not built"

row() # WORDS ARGUMENT...
{
    words=$1
    shift
    "$simulate" "$@" | "$AWK" -v words="$words" '{
        printf "| %s | %d | %d | %.2f | %.2f | %.3f | %.0f | %.1f | %.0f | %d |\n",
            words, $1, $3 / 1000, $4, $5, $6, $7, $8, $9, $10 }'
}

table()
{
    echo "| load | ranks | latency, us | ideal, ms | time, ms | ratio | pieces a rank |" \
        "steals a rank | operations a rank | the hottest window |"
    echo "|---|---|---|---|---|---|---|---|---|---|"
    for ranks in 2 16 128 1024 4096; do
        row "0 to 1 ms" ranks=$ranks
    done
    for latency in 1000 10000; do
        row "0 to 1 ms" ranks=1024 latency=$latency
    done
    row "0.5 ms" ranks=1024 load=constant
    row "0 to 0.1 ms" ranks=1024 mean=100000 ideal=50
    row "rising to 1 ms" ranks=1024 load=rising
    row "one in ten 10 times as dear" ranks=128 load=bimodal mean=100000
    row "the first index 1 ms" ranks=1024 load=first heavy=2
}

if [ "${1-}" = table ]; then
    table
    exit
fi

same()
{
    "$simulate" "$@" > "$work/one" && "$simulate" "$@" > "$work/two" &&
        diff "$work/one" "$work/two"
}

# near MOST ARGUMENT...: the sixth figure is the time by the ideal, no less than 1.
near()
{
    most=$1
    shift
    "$simulate" "$@" > "$work/one" && cat "$work/one" &&
        "$AWK" -v most="$most" '{ good = $6 >= 1 && $6 < most } END { exit !good }' "$work/one"
}

plan 7
expect "it repeats itself" same ranks=16
expect "one rank" near 1.03 ranks=1
expect "0 to 1 ms, 16 ranks" near 1.03 ranks=16
expect "0 to 1 ms, 64 ranks" near 1.03 ranks=64
expect "equal indices, 64 ranks" near 1.03 ranks=64 load=constant
expect "rising, 64 ranks, a slow network" near 1.1 ranks=64 load=rising latency=10000
expect "ranks of one worker" near 1.05 ranks=32 workers=1
finish
