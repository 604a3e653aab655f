#!/bin/sh
# symbols.sh - what the shared library exports is what the headers declare, and what
# the version map names; the man pages describe that, what is inline, and the macros
# that make loops.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

same()
{
    diff "$work/$1" "$work/$2"
}

# A name is described if a manual page of section 3 has it in its NAME section.
# A file, such as tweed.hpp, is no name.
described()
{
    for page in "$source"/doc/*.3 "$build"/doc/*.3; do
        [ -f "$page" ] && sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' "$page"
    done | sed 's/\\-.*//' | tr -cs 'a-zA-Z_0-9.' '\n' |
        grep "^$1\$" | sort -u
}

# declared PREFIX: the functions whose declaration begins with that.
declared()
{
    sed -n "s/^\($1\).*[ *]\(tweed_[a-z0-9_]*\)(.*/\2/p" \
        "$source"/include/tweed.h "$source"/include/tweed/*.h | sort -u
}

declared 'TWEED_API_\|TWEED_CALL_' > "$work/declared"
declared 'TWEED_API_\|TWEED_CALL_\|TWEED_INLINE_' |
    grep -v '_$' > "$work/callable" # a name that ends with _ is tweed's own
sed -n 's/^#define \(TWEED_[A-Z0-9_]*[A-Z0-9]\)(\(name\|T, name\|\.\|pool, \.\).*/\1/p' \
    "$source"/include/tweed/*.h | sort > "$work/macros"
# libtweed-mpi has a map of its own
for map in "$source/lib/libtweed.map" "$source/mpi/libtweed-mpi.map"; do
    sed -n 's/^ *\(tweed_[a-z0-9_]*\);$/\1/p' "$map"
done | sort > "$work/mapped"
described 'tweed_[a-z0-9_]*' > "$work/described"
described 'TWEED_[A-Z0-9_]*' > "$work/described-macros"

plan 6
expect "the headers declare functions" grep -q . "$work/declared"
expect "the map names what the headers declare" same declared mapped
# a page may be named after a type
grep -Fvx -e tweed_stats -e tweed_loop_stats -e tweed_loop_options "$work/described" > "$work/known"
expect "the man pages describe what the headers declare" same callable known
expect "and the macros that make loops" same macros described-macros
if [ -f "$shared" ] && nm -D --defined-only "$shared" > "$work/nm" 2>&1; then
    # functions and data; the version itself is absolute (A)
    $AWK '$2 != "A" { sub(/@.*/, "", $3); print $3 }' "$work/nm" |
        sort > "$work/exported"
    grep -v '^tweed_mpi_' "$work/declared" > "$work/declared-here"
    expect "the shared library exports what the headers declare" \
        same declared-here exported
    case $SANITIZER_FLAGS in
    '') expect "and nothing of it is data" \
        sh -c "! grep ' [BDRSbdrs] ' '$work/nm'" ;;
    *) skip 1 "sanitizers may add data" ;;
    esac
else
    skip 2 "no shared library, or no nm"
fi
finish
