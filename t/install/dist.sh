#!/bin/sh
# dist.sh - a tarball that is made of the unpacked tarball has the same bytes: with other
# options of configure, at another path, by another user, under another umask.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
long_only

# tarball FOLDER COPY: make dist in that folder of a build
tarball()
{
    (
        unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS
        $MAKE -C "$1" dist
    ) && mv "$1"/tweed-*.tar.gz "$2"
}

unpack()
{
    mkdir -p "$work/there" && (cd "$work/there" && gzip -dc "$work/first.tar.gz" | tar -xf -)
}

# What an unpacked tarball needs is in it: no autotools.
configure()
{
    cd "$work"/there/tweed-* &&
        ./configure -q --without-mpi --without-jansson --without-numa --disable-shared \
            CC="$CC" AUTOCONF=false AUTOMAKE=false ACLOCAL=false AUTOHEADER=false
}

# Libtool fails in the middle of make there.
refuses_spaces()
{
    mkdir "$work/a b" && cd "$work/a b" || return 1
    "$work"/there/tweed-*/configure -q CC="$CC" 2> "$work/said" && return 1
    cat "$work/said"
    grep 'a folder with a space in its path: "/.*/a b"' "$work/said"
}

again()
{
    cd "$work"/there/tweed-* || return 1
    umask 077
    TZ=Asia/Tokyo LC_ALL=C
    export TZ LC_ALL
    tarball "$PWD" "$work/second.tar.gz"
}

# Root has files of another user.
by_another()
{
    [ "$(id -u)" != 0 ] || chown -R 65534:65534 "$work/there" || return 1
    again
}

nobodys()
{
    gzip -dc "$work/first.tar.gz" | tar -tvf - > "$work/list" &&
        ! grep -v '^[-d]rw[-x]r-[-x]r-[-x] 0/0 ' "$work/list" &&
        [ "$(sed 's/^.* \([-0-9]* [0-9:]*\) .*/\1/' "$work/list" | sort -u | wc -l)" = 1 ]
}

plan 6
expect "make dist" tarball "$build" "$work/first.tar.gz"
if [ "$number" = "$failed" ]; then
    skip 5 "no tarball"
    finish
fi
expect "nobody's files, of one date" nobodys
expect "it is unpacked and configured, without autotools" eval unpack '&&' '(configure)'
expect "in a folder with a space in its path configure says so" eval '(refuses_spaces)'
expect "make dist there, of another user's files" by_another
expect "the same bytes" cmp "$work/first.tar.gz" "$work/second.tar.gz"
finish
