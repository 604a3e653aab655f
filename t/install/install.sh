#!/bin/sh
# install.sh - installs into a temporary folder and builds programs against that
# by pkg-config, outside of the tree, with the shared and the static library.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
. "${top_srcdir:-.}/t/support/installed.sh"

use=$work/use
mkdir "$use" || exit 99
cd "$use" || exit 99

# The flags of the installed library, with the temporary folder put before its
# folders.
config()
{
    PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_LIBDIR=$(dirname "$pc") \
        PKG_CONFIG_PATH= PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
        PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 $PKG_CONFIG "$@" tweed
}

cat > program.c <<'END'
#include <stdio.h>
#include <string.h>
#include <tweed.h>
#include <tweed/short.h>

static void square(int64_t i, void *arg)
{
    ((int64_t *)arg)[i] = i * i;
}

int main(void)
{
    static int64_t y[1000];

    if (strcmp(tweed_version(), TWEED_VERSION) != 0 ||
        parallel_for(0, 1000, square, y) != TWEED_OK)
        return 1;
    for (int64_t i = 0; i < 1000; i++)
        if (y[i] != i * i)
            return 1;
    puts("squares");
    return 0;
}
END

cat > program.cc <<'END'
#include <tweed.hpp>

int main()
{
    static int64_t y[1000];

    tweed::parallel_for(0, 1000, [](int64_t i) { y[i] = i * i; });
    for (int64_t i = 0; i < 1000; i++)
        if (y[i] != i * i)
            return 1;
    return 0;
}
END

with_shared()
{
    flags=$(config --cflags --libs) &&
        $CC $SANITIZER_FLAGS -Wall -Werror program.c -o with-shared $flags
}

# By -l:libtweed.a: the linker would prefer the shared one.
with_static()
{
    flags=$(config --static --cflags --libs) &&
        $CC $SANITIZER_FLAGS -Wall -Werror program.c -o with-static \
            $(echo "$flags" | sed 's/-ltweed/-l:libtweed.a/')
}

with_cxx()
{
    flags=$(config --static --cflags --libs) &&
        $CXX -std=c++11 $SANITIZER_FLAGS -Wall -Werror program.cc -o with-cxx \
            $flags
}

run()
{
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}

# True if the program needs the shared library, by the installed copy.
needs_it()
{
    run ldd "$1" | grep "libtweed.*$libdir"
}

# tweed/mpi.h, which needs MPI's, is in t/mpi/mpi.sh
alone() # header, then a compiler: nothing before it, and nothing after
{
    file=$1
    shift
    echo "#include \"$file\"" |
        "$@" -Wall -Wextra -Werror -pedantic -fsyntax-only \
            -I"$includedir" -
}

headers_in_c()
{
    for h in $(find "$includedir" -name '*.h' ! -name mpi.h); do
        alone "$h" $CC -std=c11 -x c || return 1
    done
}

headers_in_cxx()
{
    for h in $(find "$includedir" -name '*.h' ! -name mpi.h -o -name '*.hpp'); do
        alone "$h" $CXX -std="$1" -x c++ || return 1
    done
}

# Folders that others install into, too, may stay.
nothing_stays()
{
    prefix=$(sed -n 's/^prefix=//p' "$pc")
    install uninstall || return 1
    find "$dest" ! -type d > left
    find "$dest$prefix" -mindepth 1 -name '*tweed*' >> left
    is_empty left
}

plan 15
expect "make install DESTDIR=..." install
if ! find_installed; then
    skip 14 "nothing was installed"
    finish
fi
expect "nothing points to the temporary folder" sh -c "! grep '$dest' '$pc'"
expect "pkg-config knows the version" \
    test "$(config --modversion)" = "$(sed -n \
        's/^#define TWEED_VERSION "\(.*\)"/\1/p' "$header")"
if [ -f "$libdir/libtweed.so" ]; then
    expect "a program is built with the shared library" with_shared
    expect "and needs it" needs_it ./with-shared
    expect "and runs" run ./with-shared
else
    skip 3 "no shared library"
fi
if [ -f "$libdir/libtweed.a" ]; then
    expect "a program is built with the static library" with_static
    refuse "and does not need the shared one" needs_it ./with-static
    expect "and runs" ./with-static
else
    skip 3 "no static library"
fi
expect "each header stands alone in C11" headers_in_c
if echo 'int main() { auto f = [] {}; f(); }' |
    $CXX -std=c++11 -x c++ - -o cxx-works 2> /dev/null; then
    expect "each header stands alone in C++11" headers_in_cxx c++11
    if has_matrix; then
        expect "each header stands alone in C++17" headers_in_cxx c++17
    else
        skip 1 "TWEED_TEST_MATRIX=yes has C++17"
    fi
    expect "a C++ program is built" with_cxx
    expect "and runs" run ./with-cxx
else
    skip 4 "no C++11 compiler"
fi
expect "make uninstall leaves nothing" nothing_stays
finish
