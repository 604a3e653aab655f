#!/bin/sh
# layers.sh - the sources of lib/ call each other in one direction, from the layers of
# HACKING downwards.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

: "${NM=nm}"
objects=$build/lib/.libs/libtweed-internal.a

# "FILE USED": a name that the first needs, and the second has.  At -O0 a compiler keeps
# what tweed.h has inline and nobody calls: what that needs error.c needs, too, which
# calls nothing.
uses()
{
    sed -n 's/.*libtweed_internal_la-\([a-z]*\)\.o:/\1 /p' "$work/names" |
        "$AWK" '
            $(NF - 1) == "U" && $1 == "error" { kept[$NF] }
            $(NF - 1) == "U" { needs[$1 " " $NF]; next }
            { has[$NF] = $1 }
            END {
                for (n in needs) {
                    split(n, part, " ")
                    if (part[2] in has && has[part[2]] != part[1] &&
                        !(part[2] in kept))
                        print part[1], has[part[2]]
                }
            }' | sort -u
}

# "FILE LAYER", the lowest is layer 1.
layers()
{
    sed -n '/^Layers of lib/,/^$/p' "$source/HACKING" | tr '\n' ' ' |
        sed 's/([^)]*)//g; s/^[^:]*://; s/\. .*//' | tr '|' '\n' |
        "$AWK" '{ n = split($0, name, /[ ,]+/)
                  for (i = 1; i <= n; i++) if (name[i]) print name[i], NR }'
}

# Every source stands in one layer.
listed()
{
    for file in "$source"/lib/*.c; do
        basename "$file" .c
    done | sort > "$work/files"
    "$AWK" '{ print $1 }' "$work/layers" | sort > "$work/listed"
    uniq -d "$work/listed" > "$work/twice"
    comm -23 "$work/files" "$work/listed" > "$work/missing"
    cat "$work/missing" "$work/twice"
    [ ! -s "$work/missing" ] && [ ! -s "$work/twice" ]
}

downwards()
{
    "$AWK" 'NR == FNR { layer[$1] = $2; next }
        layer[$1] < layer[$2] { print $1 " uses " $2 " of a higher layer"; bad = 1 }
        END { exit bad }' "$work/layers" "$work/uses"
}

"$NM" -A "$objects" > "$work/names" 2> "$work/errors" ||
    skip_all "nm does not read the library: $(cat "$work/errors")"
uses > "$work/uses"
layers > "$work/layers"
grep -q '^loop slot$' "$work/uses" || skip_all "nm sees no names in the objects"
command -v tsort > "$work/output" || skip_all "no tsort"

plan 3
expect "no source uses what uses it" tsort "$work/uses"
expect "each source stands in one layer of HACKING" listed
expect "none uses a layer above its own" downwards
finish
