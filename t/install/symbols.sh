#!/bin/sh
# symbols.sh - what the shared library exports is what the header declares, what
# the version map names, and what the man pages describe.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

same()
{
    diff "$work/$1" "$work/$2"
}

# A name is described if a manual page of section 3 has it in its NAME section.
described()
{
    for page in "$source"/doc/*.3 "$build"/doc/*.3; do
        [ -f "$page" ] && sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' "$page"
    done | sed 's/\\-.*//' | tr -cs 'a-z_0-9' '\n' |
        grep '^tweed_[a-z_]*$' | sort -u
}

# TWEED_CALL_: compiled into the program, and in the library as well
sed -n 's/^TWEED_\(API\|CALL_\)\>.*[ *]\(tweed_[a-z_]*\)(.*/\2/p' \
    "$source/include/tweed.h" "$source/include/tweed/inline.h" |
    sort > "$work/declared"
sed -n 's/^ *\(tweed_[a-z_]*\);$/\1/p' "$source/lib/libtweed.map" |
    sort > "$work/mapped"
described > "$work/described"

plan 5
expect "the header declares functions" grep -q . "$work/declared"
expect "the map names what the header declares" same declared mapped
# a page may be named after a type, such as tweed_stats
grep -Fvx tweed_stats "$work/described" > "$work/known"
expect "the man pages describe what the header declares" same declared known
if [ -f "$shared" ] && nm -D --defined-only "$shared" > "$work/nm" 2>&1; then
    # functions and data; the version itself is absolute (A)
    $AWK '$2 != "A" { sub(/@.*/, "", $3); print $3 }' "$work/nm" |
        sort > "$work/exported"
    expect "the shared library exports what the header declares" \
        same declared exported
    case $SANITIZER_FLAGS in
    '') expect "and nothing of it is data" \
        sh -c "! grep ' [BDRSbdrs] ' '$work/nm'" ;;
    *) skip 1 "sanitizers may add data" ;;
    esac
else
    skip 2 "no shared library, or no nm"
fi
finish
