#!/bin/sh
# plans.sh - what tweed makes of machines that are not at hand is as it is recorded.
#
# SPDX-License-Identifier: MIT
#
# A plan, t/plans/NAME.plan, begins with what the machine is, the variables that make it
# up, and an empty line; the rest is what `tweed-info --plan` says then.  After a change
# that is meant: read the difference, and put it into the file.
. "${top_srcdir:-.}/t/support/tap.sh"

info=$build/tools/tweed-info
plans=$source/t/plans
[ -x "$info" ] || skip_all "tweed-info is not built"
forget_options

names=$(cd "$plans" && ls -- *.plan)

# as_recorded PLAN
as_recorded()
{
    sed -n '/^$/q; s/^# TWEED_\(TOPOLOGY\|NUM_WORKERS\)=/TWEED_\1=/p' "$plans/$1" > "$work/variables"
    sed '1,/^$/d' "$plans/$1" > "$work/recorded"
    # shellcheck disable=SC2046 # a word a line
    [ -s "$work/recorded" ] && env $(cat "$work/variables") "$info" --plan > "$work/now" &&
        diff "$work/recorded" "$work/now"
}

plan "$(echo "$names" | wc -l)"
for name in $names; do
    expect "${name%.plan}" as_recorded "$name"
done
finish
