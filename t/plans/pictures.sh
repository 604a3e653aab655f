#!/bin/sh
# pictures.sh - tweed-info --plan=svg is XML, and shows all of the machine once.
#
# SPDX-License-Identifier: MIT
#
# What has to be there follows from TWEED_TOPOLOGY and TWEED_NUM_WORKERS, as they stand in
# the recorded plans, and not from what the tool says otherwise.
. "${top_srcdir:-.}/t/support/tap.sh"

info=$build/tools/tweed-info
plans=$source/t/plans
[ -x "$info" ] || skip_all "tweed-info is not built"
forget_options

names=$(cd "$plans" && ls -- *.plan)

# part KEY DEFAULT: of the topology
part()
{
    found=$(echo ",$topology," | sed -n "s/.*,$1:\([0-9]*\),.*/\1/p")
    echo "${found:-$2}"
}

# draw NAME=VALUE...: the picture, and the line of each CPU
draw()
{
    env "$@" "$info" --plan=svg > "$work/svg" &&
        sed -n 's/^<title>\(.*\)<\/title>$/\1/p' "$work/svg" > "$work/tips"
}

is_xml()
{
    if command -v xmllint > "$work/output"; then
        xmllint --noout "$work/svg"
    else
        python3 -c 'import sys, xml.dom.minidom
xml.dom.minidom.parse(sys.argv[1])' "$work/svg"
    fi
}

boxes() # CLASS NUMBER
{
    n=$(grep -c "^<rect class=\"$1\" " "$work/svg")
    [ "$n" = "$2" ] && return
    echo "$n boxes of class $1, and not $2"
    return 1
}

# The numbers 0 to N - 1, each on a line.
are_all() # N
{
    sort -n > "$work/numbers"
    "$AWK" -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print i }' |
        diff "$work/numbers" -
}

# Each worker is on one CPU, its share begins where the one before ends, and the last
# share ends with the indices.
shares_are_whole() # WORKERS
{
    sed -n 's/.*worker \([0-9]*\): \[\([0-9]*\), \([0-9]*\)).*/\1 \2 \3/p' "$work/tips" |
        sort -n > "$work/shares"
    cut -d ' ' -f 1 "$work/shares" | are_all "$1" &&
        "$AWK" '$2 != end { print "a gap before", $0; bad = 1 }
            { end = $3 }
            END { exit bad || end != 1000000 }' "$work/shares"
}

shows_all()
{
    nodes=$(part nodes 1) cpus=$(part cpus 1) threads=$(part threads 1)
    domains=$(part domains 1) small=$(part small 0)
    all=$((nodes * cpus))
    workers=${given:-$all}
    # shellcheck disable=SC2086 # a word, or none
    draw TWEED_TOPOLOGY="$topology" ${given:+TWEED_NUM_WORKERS=$given} &&
        boxes node "$nodes" && boxes domain $((nodes * domains)) &&
        boxes core $((nodes * ((cpus - small) / threads + small))) &&
        boxes cpu "$workers" && boxes 'share caller' 2 && boxes share "$workers" &&
        boxes 'cpu unused' $((all - workers + 1)) &&
        sed 's/^CPU \([0-9]*\).*/\1/' "$work/tips" | are_all "$all" &&
        sed -n 's/.*class="worker".*>\([0-9]*\)<.*/\1/p' "$work/svg" | are_all "$workers" &&
        shares_are_whole "$workers" &&
        grep -c ', the caller$' "$work/tips" > "$work/callers" &&
        [ "$(cat "$work/callers")" = 1 ]
}

two_on_a_cpu()
{
    draw TWEED_TOPOLOGY=nodes:2,cpus:2 TWEED_NUM_WORKERS=8 && is_xml &&
        [ "$(sed -n 's/.*class="worker".*>\([0-9-]*\)<.*/\1/p' "$work/svg" | tr '\n' ' ')" = \
            "0-1 2-3 4-5 6-7 " ] &&
        grep -Fx 'CPU 1, workers 2-3: [250000, 500000)' "$work/tips"
}

# A small core's bar is lower than that of a large one, as its share is.
bars_are_shares()
{
    draw TWEED_TOPOLOGY=nodes:1,cpus:2,small:1,capacity:512 &&
        sed -n 's/^<rect class="share.* height="\([0-9.]*\)".*/\1/p' "$work/svg" |
        sed '1,2d' | tr '\n' ' ' > "$work/bars"
    cat "$work/bars"
    [ "$(cat "$work/bars")" = "32.0 16.0 " ]
}

# Three nodes have memory, says the kernel, and one of these a CPU.
memory_only()
{
    echo 0,5-6 > "$work/has_memory"
    echo 0 > "$work/has_cpu"
    unshare -m sh -c 'for list in has_memory has_cpu; do
            mount --bind "$1/$list" /sys/devices/system/node/$list || exit 77
        done
        "$2" --plan=svg' sh "$work" "$info" > "$work/svg" 2> "$work/output"
}

plan $((2 * $(echo "$names" | wc -w) + 3))
if ! command -v xmllint > "$work/output" && ! command -v python3 > "$work/output"; then
    no_xml="no xmllint, and no python3"
fi
for name in $names; do
    topology=$(sed -n '/^$/q; s/^# TWEED_TOPOLOGY=\(nodes:.*\)/\1/p' "$plans/$name")
    given=$(sed -n '/^$/q; s/^# TWEED_NUM_WORKERS=//p' "$plans/$name")
    expect "${name%.plan}: every node, domain, core, CPU and worker" shows_all
    if [ -n "${no_xml-}" ]; then
        skip 1 "$no_xml"
    else
        expect "${name%.plan}: XML" is_xml
    fi
done
expect "two workers on each CPU" two_on_a_cpu
expect "a bar is as high as the share is large" bars_are_shares
if [ -r /sys/devices/system/node/has_memory ] && memory_only; then
    expect "nodes that have memory only" \
        [ "$(sed -n 's/.*>\(node [0-9]*, memory only\)<.*/\1/p' "$work/svg" | tr '\n' ' ')" = \
        "node 5, memory only node 6, memory only " ]
else
    skip 1 "no files may be put in the place of the kernel's"
fi
finish
