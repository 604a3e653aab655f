#!/bin/sh
# plans.sh - what tweed makes of machines that are not at hand is as it is recorded.
#
# SPDX-License-Identifier: MIT
#
# A plan, t/plans/NAME.plan, begins with what the machine is, the variables that make it
# up, and an empty line; the rest is what `tweed-info --plan` says then.  Several
# TWEED_TOPOLOGY are descriptions of one machine, and give one plan.  After a change that
# is meant: read the difference, and put it into the file.
. "${top_srcdir:-.}/t/support/tap.sh"

info=$build/tools/tweed-info
plans=$source/t/plans
[ -x "$info" ] || skip_all "tweed-info is not built"
forget_options

names=$(cd "$plans" && ls -- *.plan)

# topologies PLAN: one a line
topologies()
{
    sed -n '/^$/q; s/^# TWEED_TOPOLOGY=//p' "$plans/$1"
}

has_hwloc()
{
    grep '^#define HAVE_HWLOC 1' "$build/config.h" > "$work/output"
}

# as_recorded PLAN TOPOLOGY: files are in t/plans
as_recorded()
{
    workers=$(sed -n '/^$/q; s/^# TWEED_NUM_WORKERS=/TWEED_NUM_WORKERS=/p' "$plans/$1")
    sed '1,/^$/d' "$plans/$1" > "$work/recorded"
    [ -s "$work/recorded" ] &&
        (cd "$plans" && env TWEED_TOPOLOGY="$2" $workers "$info" --plan) > "$work/now" &&
        diff "$work/recorded" "$work/now"
}

plan "$(for name in $names; do topologies "$name"; done | wc -l)"
for name in $names; do
    topologies "$name" > "$work/topologies"
    while read -r topology; do
        case "$topology" in
        hwloc:*) has_hwloc || { skip 1 "built without hwloc"; continue; } ;;
        esac
        expect "${name%.plan}: $topology" as_recorded "$name" "$topology"
    done < "$work/topologies"
done
finish
