#!/bin/sh
# projects.sh - the projects in examples/projects are built with what is installed, and
# work.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
once_only
. "${top_srcdir:-.}/t/support/installed.sh"

: "${FC=gfortran}"
[ -z "$SANITIZER_FLAGS" ] || skip_all "the library is built with a sanitizer"
[ -f "$shared" ] || skip_all "no shared library"
forget_options
# no flags of the test's own; the compilers that built the library
unset CFLAGS CXXFLAGS FFLAGS LDFLAGS PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
export CC CXX

# tweed.pc as it would be in the prefix that the files are in now.
point_to_files()
{
    mkdir "$work/pc" &&
        sed "s|^prefix=.*|prefix=${includedir%/include}|" "$pc" \
            > "$work/pc/tweed.pc" &&
        PKG_CONFIG_PATH=$work/pc &&
        export PKG_CONFIG_PATH &&
        [ "$($PKG_CONFIG --variable=libdir tweed)" = "$libdir" ] &&
        [ -f "$($PKG_CONFIG --variable=fortran tweed)" ]
}

# project NAME COMMAND: in a copy, which has no path to the tree; its compilers by their
# own command
project()
{
    mkdir -p "$work/projects" &&
        cp -R "$source/examples/projects/$1" "$work/projects" &&
        cd "$work/projects/$1" && chmod -R u+w . || return 1
    shift
    (
        unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS
        "$@"
    )
}

# The program says what it should, by the installed library.
works()
{
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        ldd "$1" | grep "libtweed.*$libdir" || return 1
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        seen 0 "$1" && only_line "$work/out" 998001 && is_empty "$work/err"
}

with_cmake()
{
    cmake -B build && cmake --build build && works build/squares
}

with_meson()
{
    meson setup build && meson compile -C build && works build/squares
}

with_make()
{
    $MAKE CC="$CC" PKG_CONFIG_PATH="$PKG_CONFIG_PATH" && works ./squares
}

with_fortran()
{
    $MAKE FC="$FC" PKG_CONFIG_PATH="$PKG_CONFIG_PATH" && works ./squares
}

has_fortran()
{
    echo end > "$work/empty.f90"
    (cd "$work" && $FC empty.f90 -o empty) > /dev/null 2>&1
}

plan 5
expect "installed" install
if ! find_installed || ! point_to_files; then
    skip 4 "nothing was installed"
    finish
fi
if cmake --version > /dev/null 2>&1; then
    expect "a project of CMake's" project cmake with_cmake
else
    skip 1 "no cmake"
fi
if meson --version > /dev/null 2>&1; then
    expect "a project of Meson's, in C++" project meson with_meson
else
    skip 1 "no meson"
fi
expect "a Makefile" project make with_make
if has_fortran; then
    expect "a Makefile, in Fortran" project fortran with_fortran
else
    skip 1 "no Fortran compiler"
fi
finish
