#!/bin/sh
# genmc.sh - GenMC over the drivers of t/model, for weak memory, as TAP.
# SPDX-License-Identifier: MIT
#
# Each line of genmc.cases is a test. GenMC is no dependency: it is used where a
# `genmc` of version 0.10 is on PATH.

. "${top_srcdir:-.}/t/support/tap.sh"

command -v genmc > /dev/null || skip_all 'genmc is not on PATH: nothing checked'
case $(genmc --version 2>&1) in
*v0.10*) ;;
*) skip_all 'this genmc is not version 0.10: nothing checked' ;;
esac
cases=$source/t/model/genmc.cases

# break_library FAULT: a copy of the sources with it, in $tree
break_library()
{
    fault=$(sed -n "s/^fault $1 //p" "$cases")
    file=${fault%% *}
    tree=$work/tree
    rm -rf "$tree"
    mkdir -p "$tree/t/model"
    cp -R "$source/lib" "$source/mpi" "$source/include" "$tree"
    cp "$source"/t/model/*.[ch] "$tree/t/model"
    sed "${fault#* }" "$source/$file" > "$tree/$file"
    if [ -z "$fault" ] || cmp -s "$source/$file" "$tree/$file"; then
        echo "fault $1 changes nothing: see genmc.cases"
        return 1
    fi
}

# check MODEL DRIVER NAME=VALUE...: the exit status is GenMC's. Three things are
# switched off: the search for spin loops (see for-genmc.h); the annotation of
# loads, which takes for ever over a worker's long function; and the cache of
# instructions, which gives two objects on a thread's stack one address (an object
# of a function that is called twice is then taken for freed).
check()
{
    case $1 in
    rc11 | imm) options=--$1 ;;
    *-live) options="--${1%-live} --check-liveness" ;;
    esac
    driver=$2
    shift 2
    numbers=
    for argument; do
        if ! grep -q "MODEL_NUMBER(${argument%%=*}," "$tree/t/model/$driver.c" \
            "$tree/t/model/for-genmc.h"; then
            echo "$driver knows no $argument"
            return 1
        fi
        numbers="$numbers -Dnumber_${argument%%=*}=,${argument#*=}"
    done
    # shellcheck disable=SC2086
    genmc $options --disable-estimation --disable-spin-assume \
        --disable-load-annotation --disable-instruction-caching -- \
        -DGENMC=1 -I"$tree/include" -I"$tree/lib" -I"$build" \
        $numbers "$tree/t/model/$driver.c"
}

# What GenMC says of its work, for the line of a test.
figures()
{
    sed -n -e 's/^Number of complete executions.*: \(.*\)/\1 executions/p' \
        -e 's/^Total wall-clock time: \(.*\)s$/\1 s/p' "$work/output" |
        paste -s -d , - | sed 's/,/, /'
}

plan "$(grep -c -e '^holds ' -e '^finds ' "$cases")"
grep -e '^holds ' -e '^finds ' "$cases" > "$work/cases"
while read -r expected what; do
    tree=$source
    status=0
    words=$what
    wanted=0
    : > "$work/output"
    if [ "$expected" = finds ]; then
        fault=${what%% *}
        what=${what#* }
        words="finds the fault $fault: $what"
        wanted=42 # an error in the program, not of GenMC
        break_library "$fault" > "$work/output" || status=99
    fi
    if [ $status -eq 0 ]; then
        # shellcheck disable=SC2086
        check $what > "$work/output" 2>&1 < /dev/null
        status=$?
    fi
    [ $status -eq $wanted ]
    result $? "$words: $(figures)"
done < "$work/cases"
finish
