#!/bin/sh
# info.sh - tweed-info as one of several ranks: one table of all.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
. "${top_srcdir:-.}/t/support/launch.sh"

[ -z "$SANITIZER_FLAGS" ] || skip_all "MPI is not instrumented"
[ -x "$build/tools/tweed-info" ] || skip_all "tweed-info is not built"
inside=$build/lib/.libs/libtweed-internal.a
[ -f "$inside" ] || skip_all "the internal library is not built"
kinds=$(mpi_kinds)
[ -n "$kinds" ] || skip_all "there is no MPI"
forget_options

# As configure has it built, for one MPI; beside it tweed-info.
compile()
{
    mkdir "$work/$mpi" && cp "$build/tools/tweed-info" "$work/$mpi" &&
        $mpi -std=gnu11 -O1 -Wall -Wextra -I"$build" -I"$source/include" -I"$source/lib" \
            -I"$source/mpi" -DTWEED_MPICC="\"$mpi\"" "$source/tools/tweed-mpi-info.c" \
            -o "$work/$mpi/tweed-mpi-info" "$inside" $private_libs -lm -pthread
}

# table RANKS COMMAND...: that alone is printed; sizes to $work/sizes
table()
{
    n=$1
    shift
    TWEED_TOPOLOGY=nodes:2,cpus:4
    export TWEED_TOPOLOGY
    under "$n" "$@" > "$work/out" || { cat "$work/out"; return 1; }
    unset TWEED_TOPOLOGY
    cat "$work/out"
    [ "$(grep -c '^tweed ' "$work/out")" = 1 ] && [ "$(grep -c 'workers$' "$work/out")" = 1 ] &&
        [ "$(wc -l < "$work/out")" = $((n + 5)) ] || return
    $AWK -v n="$n" '
        $1 ~ /^[0-9]+$/ && /\[/ {
            gsub(/[[,)]/, " ")
            if ($1 != ranks++ || $2 != 8 || $3 != "0-7" || $4 != "0-1" || $5 != end + 0)
                bad = 1
            end = $6
        }
        END { exit bad || ranks != n || end != 1000000 }' "$work/out"
}

# Each rank's own plan: the table has no place for it.
plans()
{
    under 3 "$work/$mpi/tweed-info" --plan > "$work/out" || { cat "$work/out"; return 1; }
    cat "$work/out"
    [ "$(grep -c '^plan of ' "$work/out")" = 3 ] && ! grep '^tweed ' "$work/out"
}

# It is told of by rank 0 alone.
alone()
{
    rm -f "$work/$mpi/tweed-mpi-info"
    under 3 "$work/$mpi/tweed-info" > "$work/out" 2> "$work/err" &&
        [ "$(grep -c '^machine$' "$work/out")" = 3 ] &&
        [ "$(grep -c '^tweed-info: each of 3 ranks' "$work/err")" = 1 ]
}

# More workers than CPUs: two ranks of so many.
crowded()
{
    TWEED_NUM_WORKERS=4094
    export TWEED_NUM_WORKERS
    under 2 "$work/$mpi/tweed-mpi-info" > "$work/out"
    unset TWEED_NUM_WORKERS
    grep 'CPUs\?!$' "$work/out" && grep 'more workers than CPUs' "$work/out"
}

# A launcher that tweed-mpi-info is not of: each rank believes that it is alone.
of_another()
{
    for other in $kinds; do
        [ "$other" = "$1" ] && continue
        launch_by "mpirun${other#-}"
        under 2 "$work/$mpi/tweed-mpi-info" > "$work/out" 2> "$work/err" && return 1
        [ ! -s "$work/out" ] && grep "built by $mpi, and started by another" "$work/err" ||
            return
    done
}

tests=8
plan $((tests * $(echo $kinds | wc -w)))
for kind in $kinds; do
    mpi=mpicc${kind#-}
    launch_by "mpirun${kind#-}"
    expect "$mpi: compiles" compile
    if ! can_launch; then
        skip $((tests - 1)) "$mpirun does not run here"
        continue
    fi
    for n in 1 3; do
        expect "$mpi: $n ranks, tweed-mpi-info" table $n "$work/$mpi/tweed-mpi-info"
    done
    expect "$mpi: tweed-info becomes that" table 3 "$work/$mpi/tweed-info"
    expect "$mpi: with --plan each rank shows its own" plans
    expect "$mpi: more workers than CPUs" crowded
    if [ "$kinds" = "$kind" ]; then
        skip 1 "one MPI is tested with"
    else
        expect "$mpi: another MPI's mpirun" of_another "$kind"
    fi
    launch_by "mpirun${kind#-}"
    expect "$mpi: without it each rank is shown by itself" alone
done
finish
