#!/bin/sh
# probes.sh - where there is sys/sdt.h the library has its probes.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

grep -q '^#define HAVE_SYS_SDT_H 1' "$build/config.h" || skip_all "no sys/sdt.h"
readelf --version > "$work/output" 2>&1 || skip_all "no readelf"

notes()
{
    if [ -f "$shared" ]; then
        readelf -n "$shared"
    else
        readelf -n "$build/lib/.libs/libtweed-internal.a"
    fi
}

# "NAME ARGUMENTS" of each place that has a probe of ours; the arguments' count.
places()
{
    $AWK '/Provider: tweed$/ { ours = 1 }
        /Name: / { name = $2 }
        /Arguments:/ { if (ours) print name, NF - 1; ours = 0 }' "$work/notes"
}

has_probe() # NAME ARGUMENTS
{
    grep -x "$1 $2" "$work/places" && return
    cat "$work/places"
    return 1
}

# Those that the manual describes are all.
none_besides()
{
    grep -vE '^(loop_begin|loop_end|steal|propose|task_steal|join|joined|sleep|awake|wake) ' "$work/places" \
        > "$work/others"
    is_empty "$work/others"
}

LC_ALL=C notes > "$work/notes" 2> "$work/errors"
places > "$work/places"

plan 11
expect "loop_begin: name, first index, how many" has_probe loop_begin 3
expect "loop_end: name, first index, how many" has_probe loop_end 3
expect "steal: thief, victim, how far, blocks" has_probe steal 5
expect "propose: thief, victim" has_probe propose 2
expect "task_steal: thief, victim, far" has_probe task_steal 3
expect "join: who, for whom" has_probe join 2
expect "joined: who" has_probe joined 1
expect "sleep" has_probe sleep 0
expect "awake" has_probe awake 0
expect "wake: how many, and how many of them" has_probe wake 2
expect "no other probes" none_besides
finish
