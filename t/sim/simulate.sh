#!/bin/sh
# simulate.sh - the simulator repeats itself, checks itself, and says what it does
# not take.
#
# SPDX-License-Identifier: MIT
#
# That every index ran once, that no loop beats the ideal, and that the library
# counted what the machine saw, the simulator checks for each row: it fails if not.
. "${top_srcdir:-.}/t/support/tap.sh"

simulate=$build/t/sim/simulate
[ -x "$simulate" ] || skip_all "the simulator is not built"
forget_options
small="n=5000 workers=1,3,64"

same()
{
    "$simulate" "$@" >"$work/one" && "$simulate" "$@" >"$work/two" &&
        cmp "$work/one" "$work/two"
}

differ()
{
    # shellcheck disable=SC2086
    "$simulate" $small load=exponential seed=1 >"$work/one" &&
        "$simulate" $small load=exponential seed=2 >"$work/two" &&
        ! cmp -s "$work/one" "$work/two"
}

# One row a number of workers, the first without anybody to steal from; and more
# workers are faster.
rows_are_sound()
{
    # shellcheck disable=SC2086
    "$simulate" $small "$@" | $AWK '
        NR > 2 { rows++; took[$1] = $3; stolen[$1] = $6 + $7 }
        NR > 2 && $3 < $2 { bad = 1 }
        END { exit !(rows == 3 && !bad && stolen[1] == 0 &&
                     took[1] > took[3] && took[3] > took[64]) }'
}

# A block is one index, of range bodies too.
cuts_as_the_library()
{
    for grain in 0 1 4
    do
        "$simulate" n=40960 workers=10 body=range load=rising mean=50 \
            grain=$grain | sed 1d >"$work/$grain" || return
    done
    cmp "$work/0" "$work/1" && ! cmp -s "$work/0" "$work/4"
}

json_has()
{
    "$simulate" n=1000 workers=4 json=1 | grep '^{"workers": 4, .*"steals_near"'
}

# figure FIELD ARGUMENT...: of the last row
figure()
{
    field=$1
    shift
    "$simulate" json=1 "$@" | sed -n "\$s/.*\"$field\": \([0-9]*\).*/\1/p"
}

# between LEAST MOST FIELD ARGUMENT...
between()
{
    least=$1 most=$2
    shift 2
    got=$(figure "$@")
    echo "$*: $got, from $least to $most are right"
    [ -n "$got" ] && [ "$got" -ge "$least" ] && [ "$got" -le "$most" ]
}

# A library that is only slower is seen in what it counts.  In brackets what the figure is
# now, and in the library that is broken so.
costs_little()
{
    # a thief takes a quarter of what is left [494], and not one block [15,688]
    expect "few steals of what the owner parts with" \
        between 100 1000 steals_near workers=64 load=rising
    # all of a share that its owner has not come to [21], and not one block [377]
    expect "few steals of what nobody has begun" \
        between 10 100 steals_near n=1000 workers=16 gap=1000000 mean=50
    # as many are woken as there is work for [7], not all who sleep [63]
    expect "a short loop wakes few" \
        between 1 10 woken n=8 workers=64 gap=1000000 mean=20000
    # a loop that was short the last time is not shared [returns: 0; 15]
    expect "a short loop is not shared" \
        between 0 0 returns n=50 workers=16 mean=15 loops=5
    expect "and wakes nobody" \
        between 0 0 woken n=50 workers=16 mean=15 loops=5 gap=1000000
    # the clock is looked at once in several claims [1,778], not in each [5,234]
    expect "few looks at the clock" \
        between 100 3000 clocks n=2000000 workers=2 mean=5 body=range
    # a thief waits until tasks have gathered [1,731,445 ns], or takes each, and the queue's
    # lock from the thread that submits [PATIENCE_NS 0: 3,590,414]
    expect "tasks gather while a thief has patience" \
        between 500000 2500000 makespan_ns n=5000 workers=2 mean=20 body=submit
}

says_usage()
{
    "$simulate" "$1" >"$work/out" 2>&1
    [ $? -eq 2 ] && grep -q "^simulate: $1.*expected" "$work/out"
}

plan 60
# shellcheck disable=SC2086
expect "the same arguments give the same table" same $small load=exponential
expect "another seed gives another" differ
expect "the rows are sound" rows_are_sound
expect "those of a tree of tasks are sound" rows_are_sound body=tasks fence=exchange
# shellcheck disable=SC2086
expect "the same tree gives the same table" same $small body=tasks load=pareto
# shellcheck disable=SC2086
expect "tasks, and workers that sleep" "$simulate" $small body=tasks gap=1000000 \
    load=last
expect "a tree for a crowd" "$simulate" n=20000 workers=300 body=tasks fence=exchange
expect "a tree for a thousand workers" "$simulate" n=60 workers=1024 \
    body=tasks fence=exchange
# shellcheck disable=SC2086
expect "the same submitted tasks give the same table" same $small n=1000 body=submit callers=3
for body in groups group submit front batch close abandon
do
    # shellcheck disable=SC2086
    expect "body=$body" "$simulate" $small n=2000 body=$body load=exponential
done
# shellcheck disable=SC2086
expect "groups, and workers that sleep" "$simulate" $small body=groups gap=1000000 \
    load=last
# shellcheck disable=SC2086
expect "several callers, and workers that sleep" "$simulate" $small body=batch grain=7 \
    callers=8 gap=1000000
for body in group batch close abandon
do
    expect "body=$body on 200 workers" "$simulate" n=250 workers=200 body=$body
done
if is_long; then
    expect "tasks for as many workers as there can be" "$simulate" n=60 workers=4094 \
        body=batch
else
    skip 1 "TWEED_TEST_LONG=yes has tasks for as many workers as there can be"
fi
for load in constant uniform exponential pareto bimodal rising falling first \
    last block
do
    # shellcheck disable=SC2086
    expect "load $load" "$simulate" $small load=$load
done
# shellcheck disable=SC2086
expect "exchange mode" "$simulate" $small fence=exchange load=falling
# shellcheck disable=SC2086
expect "range bodies, grains, nodes" "$simulate" $small body=range grain=3 \
    nodes=5 load=rising mean=50
expect "a range body without a grain gets blocks of one index" \
    cuts_as_the_library
# shellcheck disable=SC2086
expect "workers that sleep" "$simulate" $small gap=1000000 load=last
# shellcheck disable=SC2086
expect "one loop after the other" "$simulate" $small loops=3
# shellcheck disable=SC2086
expect "no spinning, no costs" "$simulate" $small spin=0 load=block \
    near=0 far=0 rmw=0 pause=0 wake=0 wait=0 rouse=0 latency=0 fence=exchange
costs_little
expect "a crowd" "$simulate" n=20000 workers=300
expect "as many workers as there can be" "$simulate" n=60 workers=4094
expect "a line of JSON" json_has
printf '100\n2000\n30.5\n' >"$work/times"
expect "a load from a file" "$simulate" n=1000 workers=8 "load=file:$work/times"
printf '100\nlong\n' >"$work/times"
refuse "a file with words in it" "$simulate" n=10 "load=file:$work/times"
refuse "a file that is not there" "$simulate" n=10 "load=file:$work/none"
for argument in n=0 workers=4095 workers=1,0 load=heavy fence=none mean=-1 \
    mean=1x workers=
do
    expect "refused: $argument" says_usage $argument
done
finish
