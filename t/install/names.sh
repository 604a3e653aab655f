#!/bin/sh
# names.sh - doc/names.md has every public name of the C headers, by subject, and no other.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"

# Functions, types, macros and constants whose names do not end with _; not the guards of headers.
of_headers()
{
    for header in "$source"/include/tweed.h "$source"/include/tweed/*.h; do
        sed -n -e 's/^# *define \(TWEED_[A-Z0-9_]*\)\([^A-Za-z0-9_].*\)\{0,1\}$/\1/p' \
            -e 's/^    X(\(TWEED_[A-Z]*\), .*/\1/p' \
            -e 's/^    \(TWEED_[A-Z_]*[A-Z]\) = .*/\1/p' \
            -e 's/^\(TWEED_API_\|TWEED_CALL_\|TWEED_INLINE_\).*[ *]\(tweed_[a-z0-9_]*[a-z0-9]\)(.*/\2/p' \
            -e 's/^} \(tweed_[a-z0-9_]*[a-z0-9]\);.*/\1/p' \
            -e 's/^typedef struct [a-z0-9_]* \(tweed_[a-z0-9_]*[a-z0-9]\);.*/\1/p' \
            -e 's/^typedef [a-z].*[ *]\(tweed_[a-z0-9_]*_fn\)(.*/\1/p' "$header"
    done | grep -v -e '_H$' -e '_$' | sort -u
}

of_page()
{
    grep -oE '\b(tweed|TWEED)_[A-Za-z0-9_]*[A-Za-z0-9]\b' "$source/doc/names.md"
}

once()
{
    [ -z "$(of_page | sort | uniq -d)" ] || { of_page | sort | uniq -d; return 1; }
}

# No two names differ by case alone, but those that say the same: of the header, of the library.
by_more_than_case()
{
    twice=$(tr 'A-Z' 'a-z' < "$work/headers" | sort | uniq -d |
        grep -vx tweed_version)
    [ -z "$twice" ] || { echo "$twice"; return 1; }
}

of_headers > "$work/headers"
of_page | sort -u > "$work/page"

plan 4
expect "the headers have names" grep -q . "$work/headers"
expect "the page has these, and no other" diff "$work/headers" "$work/page"
expect "each once" once
expect "no two names differ by case alone" by_more_than_case
finish
