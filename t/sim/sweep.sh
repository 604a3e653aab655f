#!/bin/sh
# sweep.sh - tables of simulated loops, in markdown.
#
# SPDX-License-Identifier: MIT
#
#   make simulate-steals       steals, returns and heavy fences against the theory
#   make simulate-constants    each constant of the policy from a quarter to four
#                              times what it is
#
# The Makefile says how: SIMULATE is the simulator; SIMULATE_CC compiles a source
# of lib/ for it, SIMULATE_LINK and SIMULATE_LIBS link it with the rest of it.  A
# constant is changed in a copy of its file.  What a cell says is the same whenever
# it is made again; how much of it is chance, the spread over a few loops of nearly
# the same length says.
set -u
lib=$(dirname "$0")/../../lib
AWK=${AWK:-awk}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The row of a loop of `each` indices a worker.
# row SIMULATOR WORKERS EACH NAME=VALUE ...
row()
{
    simulator=$1 workers=$2 n=$(($2 * $3))
    shift 3
    "$simulator" workers="$workers" n=$n part="$workers" "$@" >"$work/out" ||
        { echo "sweep.sh: n=$n workers=$workers $* failed" >&2; exit 1; }
    tail -n 1 "$work/out"
}

# ---- steals ----

# The theory is for loops whose share is long; here it is 1,000 indices, so that
# the bound is 2.41 log2(1000) = 24 steals for each worker, whatever their number.
steals()
{
    cat <<'end'
Bodies of 1 us on average, 1,000 for each worker; a node for each 64 workers.
Excess: beyond max(work / P, longest body), in mean bodies and in %. Bound:
2.41 P log2(N / P) steals. Returns: the theory says P + steals at most.

| load | P | excess | % | steals | of the bound | returns / P | probes a steal | fences |
|---|---|---|---|---|---|---|---|---|
end
    for load in constant rising falling first last exponential pareto block
    do
        for workers in 2 8 32 128 256 512 1024
        do
            row "$SIMULATE" $workers 1000 load=$load heavy=10 |
                $AWK -v load=$load '{
                    steals = $6 + $7
                    printf "| %s | %d | %.1f | %.1f | %d | %.2f | %.2f | %.1f | %d |\n",
                        load, $1, $5, $4, steals, steals / $8, $12 / $1,
                        steals ? ($9 + steals) / steals : 0, $11 }'
        done
    done
}

# A thief that is not answered pays for a fence: only if bodies are long.
fences()
{
    cat <<'end'

Heavy fences by the length of a body, load rising, 200 bodies for each worker:

| mean body, us | P | steals | proposals | fences | fences a steal |
|---|---|---|---|---|---|
end
    for mean in 50 200 1000 5000 20000 100000
    do
        for workers in 2 8 32 128
        do
            row "$SIMULATE" $workers 200 load=rising mean=$mean |
                $AWK -v mean=$mean '{
                    steals = $6 + $7
                    printf "| %g | %d | %d | %d | %d | %.3f |\n", mean / 1000,
                        $1, steals, $10, $11, steals ? $11 / steals : 0 }'
        done
    done
}

# ---- constants ----

# What is done with each simulator: workers, indices for each of them, arguments.
cases='8 1000 load=rising
8 200 load=exponential mean=50000
128 500 load=constant
128 500 load=rising
128 500 load=block heavy=10
512 300 load=exponential
128 200 load=exponential mean=50000
128 5000 load=rising body=range mean=50'

# Each case with this simulator: excess in %, the mean of five lengths, and in
# brackets half of what lies between the least and the largest; steals; fences.
cells()
{
    printf '%s\n' "$cases" | while read -r workers each arguments
    do
        for more in 0 1 2 3 4
        do
            # shellcheck disable=SC2086 # arguments are words
            row "$1" "$workers" $((each + more)) $arguments ${2-}
        done | $AWK '
            { sum += $4; steals += $6 + $7; fences += $11 }
            NR == 1 || $4 < least { least = $4 }
            NR == 1 || $4 > most { most = $4 }
            END { printf " %.1f (%.1f) %d %d |", sum / NR, (most - least) / 2,
                         steals / NR, fences / NR }'
    done
    echo
}

table()
{
    printf '\n%s (%s)\n\n| value |' "$1" "$2"
    printf '%s\n' "$cases" | while read -r workers each arguments
    do
        printf ' P=%s n=%sP %s |' "$workers" "$each" "$arguments"
    done
    printf '\n|---|'
    printf '%s\n' "$cases" | while read -r _; do printf '%s' '---|'; done
    echo
}

# constant NAME FILE [SOURCE...]: as it stands is marked.  Of a header: the sources that
# include it.
constant()
{
    name=$1 file=$2
    shift
    [ $# -eq 1 ] || shift
    now=$(sed -n "s/^#define $name \([0-9]*\).*/\1/p" "$lib"/*/"$file")
    table "$name" "lib/$file"
    for value in $((now / 4)) $((now / 2)) "$now" $((now * 2)) $((now * 4))
    do
        [ "$value" -gt 0 ] || continue
        rm -rf "${work:?}/lib" "$work"/*.o && cp -R "$lib" "$work/lib" || exit 1
        sed "s/^#define $name .*/#define $name $value/" "$lib"/*/"$file" >"$work/$file" &&
            mv "$work/$file" "$work"/lib/*/"$file" || exit 1
        for source
        do
            # shellcheck disable=SC2086 # a command and flags are words
            $SIMULATE_CC -iquote "$work/lib" -c -o "$work/$source.o" \
                "$work"/lib/*/"$source" || exit 1
        done
        # shellcheck disable=SC2086 # the same
        $SIMULATE_LINK -o "$work/simulate" "$work"/*.o $SIMULATE_LIBS || exit 1
        [ "$value" -ne "$now" ] || value="**$value**"
        printf '| %s |' "$value"
        cells "$work/simulate"
    done
}

constants()
{
    cat <<'end'
Each cell: excess over the ideal in % (half the spread of five lengths), steals,
heavy fences. The value that is in the source is in bold.
end
    constant PATIENCE glance.c
    constant FENCE_GUESS_NS glance.c
    constant TAKE_OVER_NS glance.c
    constant TAKE_OVER_FENCES glance.c
    constant STEAL_PART word.h range.c glance.c
    constant UNIT_NS pace.h cursor.c
    constant PROPOSE_NS range.c
    constant LEAVE_NS glance.c
    constant PAIRS victim.c
    constant WAKES publish.c
    constant SPINS_A_CLOCK wait.c
    constant SOON_NS work.c
    table TWEED_SPIN_NS "workers asleep when the loop begins"
    for value in 5000 10000 20000 40000 80000
    do
        printf '| %s |' "$value"
        cells "$SIMULATE" "spin=$value gap=1000000"
    done
}

case ${1-} in
    steals) steals && fences ;;
    constants) constants ;;
    *) echo "usage: sweep.sh steals|constants" >&2; exit 2 ;;
esac
