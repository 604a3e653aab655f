#!/bin/sh
# layers.sh - the rooms of lib/ include and call each other in one direction, from those of
# HACKING's table downwards.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

: "${NM=nm}"
objects=$build/lib/.libs/libtweed-internal.a
above=pool/above.h

# "ROOM NAME" of each noun in HACKING's table; of a room "ROOM /".
table()
{
    sed -n '/^Rooms of lib/,/^What is compiled/p' "$source/HACKING" | "$AWK" '
        /^    [a-z]+\// { sub("/", "", $1); room = $1; print room, "/"; next }
        /^      [a-z-]+ / { print room, $1 }'
}

# "ROOM NAME" of each noun that has a file, the rooms in the order of HACKING.
nouns()
{
    "$AWK" '$2 == "/" { print $1 }' "$work/table" | while read -r room; do
        echo "$room /"
        for file in "$source/lib/$room"/*.[ch]; do
            name=${file##*/}
            echo "$room ${name%.*}"
        done | uniq
    done
}

listed()
{
    for folder in "$source"/lib/*/; do
        folder=${folder%/}
        echo "${folder##*/} /"
    done | sort > "$work/folders"
    grep ' /$' "$work/table" | sort | diff "$work/folders" - &&
        sort "$work/table" | uniq -d | diff - /dev/null &&
        sort "$work/nouns" > "$work/sorted" &&
        sort "$work/table" | diff "$work/sorted" -
}

# "FILE USED NAME": a name that the first needs, and the second has.  At -O0 a compiler keeps
# what tweed.h has inline and nobody calls: what that needs error.c needs, too, which
# calls nothing.
uses()
{
    sed -n 's/.*libtweed_internal_la-\([a-z-]*\)\.o:/\1 /p' "$work/names" |
        "$AWK" '
            $(NF - 1) == "U" && $1 == "error" { kept[$NF] }
            $(NF - 1) == "U" { needs[$1 " " $NF]; next }
            { has[$NF] = $1 }
            END {
                for (n in needs) {
                    split(n, part, " ")
                    if (part[2] in has && has[part[2]] != part[1] &&
                        !(part[2] in kept))
                        print part[1], has[part[2]], part[2]
                }
            }' | sort -u
}

# "FILE USED": of the files of lib/ and what they include.
includes()
{
    (cd "$source/lib" && grep -o '^ *# *include *"[^"]*"' */*.[ch]) |
        sed -e 's/:.*"\(.*\)"/ \1/' -e '/ config\.h$/d'
}

no_circle() # of sources
{
    "$AWK" '{ print $1, $2 }' "$work/uses" | tsort
}

no_circle_of_headers()
{
    grep '^[^ ]*\.h ' "$work/includes" | tsort
}

# Neither includes ("room/x.h room/y.h") nor calls ("x y name") go up.
no_include_goes_up()
{
    "$AWK" 'NR == FNR { if ($2 == "/") level[$1] = ++n; next }
        { split($1, from, "/"); split($2, to, "/") }
        $2 !~ /\// || !(to[1] in level) { print $1 " includes " $2 ": no room"; bad = 1; next }
        level[to[1]] > level[from[1]] { print $1 " includes " $2; bad = 1 }
        END { exit bad }' "$work/table" "$work/includes"
}

goes_up()
{
    "$AWK" 'NR == FNR { if ($2 == "/") n++; else level[$2] = n; next }
        level[$2] > level[$1] { print $3 }' "$work/table" "$work/uses" | sort -u
}

declared()
{
    grep -o 'tweed__[a-z_]*(' "$source/lib/$above" | tr -d '(' | sort -u
}

table > "$work/table"
nouns > "$work/nouns"
includes > "$work/includes"

plan 5
expect "each room, and each file, stands once in HACKING" listed
expect "no include goes up" no_include_goes_up
if ! command -v tsort > "$work/output"; then
    skip 3 "no tsort"
    finish
fi
expect "no header includes what includes it" no_circle_of_headers
if ! "$NM" -A "$objects" > "$work/names" 2> "$work/errors"; then
    skip 2 "nm does not read the library: $(cat "$work/errors")"
    finish
fi
uses > "$work/uses"
if ! grep -q -e '^slot range ' -e '^pool team ' "$work/uses"; then
    skip 2 "nm sees no names in the objects"
    finish
fi
goes_up > "$work/up"
declared > "$work/declared"
expect "calls go up by what $above declares, and by nothing else" \
    diff "$work/declared" "$work/up"
expect "no source uses what uses it" no_circle
finish
