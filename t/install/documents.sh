#!/bin/sh
# documents.sh - what an installed document names is installed beside it, or is said to be of
# the source; and the version is the same wherever it stands.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
once_only
. "${top_srcdir:-.}/t/support/installed.sh"

# Files of the tree that each line of a document names: doc/NAME, HACKING.  In a table or a
# sentence "source" stands on the same line.
named()
{
    grep -nvi 'source' "$1" | grep -oE \
        '^[0-9]+|(^|[^A-Za-z0-9_./-])((doc|examples|lib|t|bench|mpi|tools|m4|packaging)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]|HACKING|CONTRIBUTING|SECURITY|\.ci/run)' |
        sed 's/^[^A-Za-z0-9._]//' | grep -vE '^[0-9]+$' | sort -u
}

all_there() # DOCUMENT...
{
    missing=0
    for document; do
        for name in $(named "$document"); do
            # examples/mandelbrot is a program, of examples/mandelbrot.c
            ls -d "$docs/$name" "$docs/$name".* > "$work/found" 2> /dev/null
            [ -s "$work/found" ] && continue
            echo "${document##*/}: $name"
            missing=1
        done
    done
    return $missing
}

no_more()
{
    [ ! -e "$docs/HACKING" ] && [ ! -e "$docs/doc/protocol.md" ]
}

version=$(sed -n 's/^AC_INIT(\[tweed\], \[\([^]]*\)\].*/\1/p' "$source/configure.ac")

says() # FILE TEXT
{
    grep -qF -e "$2" "$source/$1" && return
    echo "$1 has no line: $2"
    return 1
}

one_version()
{
    for page in "$source"/doc/*.[137] "$source"/doc/*.[137].in; do
        case $page in */tweed.7 | */tweed_stats.3 | */tweed_loop_stats.3) continue ;; esac
        says "doc/${page##*/}" "\"tweed $version\"" || return
    done
    says include/tweed.h "#define TWEED_VERSION \"$version\"" &&
        says NEWS "$version" && says CITATION.cff "version: $version" &&
        says packaging/tweed.spec "Version:        $version" &&
        says packaging/meson/meson.build "version: '$version'" &&
        says packaging/meson/tweed.wrap "tweed-$version.tar.gz" &&
        says packaging/debian/changelog "tweed ($version-0upstream" &&
        says doc/debugging.md "tweed $version," && says doc/machines.md "tweed $version"
}

plan 5
expect "the version is the same wherever it stands" one_version
expect "installed" install
docs=$(dirname "$(find "$dest" -name README -path '*/doc/*')")
if [ ! -d "$docs/doc" ]; then
    skip 3 "nothing was installed"
    finish
fi
expect "documents name what is installed" all_there "$docs/README" "$docs/NEWS" "$docs"/doc/*.md
expect "and so do the man pages" all_there $(find "$dest" -path '*/man/*' -name '*.[137]')
expect "what is about the source is not" no_more
finish
