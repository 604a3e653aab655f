#!/bin/sh
# projects.sh - the projects in examples/projects are built with what is installed, and
# work; a program is built with what is not installed yet.
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

# The uninstalled tweed.pc, of the folder of the build: what is compiled runs at once.
uninstalled()
{
    cd "$work" || return
    PKG_CONFIG_PATH=$build
    export PKG_CONFIG_PATH
    $CC -O2 -std=c11 "$source/examples/projects/cmake/main.c" -o uninstalled \
        $($PKG_CONFIG --cflags --libs tweed) &&
        ldd uninstalled | grep "libtweed.*$build" && seen 0 ./uninstalled &&
        only_line "$work/out" 998001
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
    PKG_CONFIG_PATH= cmake -B build -DCMAKE_PREFIX_PATH="${includedir%/include}" &&
        cmake --build build && works build/squares
}

# A version that is too new is not found, nor one of another major number.
refused()
{
    for version in 99.0 $(($major + 1)) $major.999; do
        printf 'cmake_minimum_required(VERSION 3.10)\nproject(none NONE)\n%s\n' \
            "find_package(tweed $version REQUIRED)" > CMakeLists.txt
        if cmake -B "none-$version" -DCMAKE_PREFIX_PATH="${includedir%/include}"; then
            return 1
        fi
    done
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

plan 7
expect "installed" install
if ! find_installed || ! point_to_files; then
    skip 6 "nothing was installed"
    finish
fi
if cmake --version > /dev/null 2>&1; then
    major=$(sed -n 's/^#define TWEED_VERSION_MAJOR //p' "$header")
    expect "a project of CMake's" project cmake with_cmake
    expect "later versions are not found" project cmake refused
else
    skip 2 "no cmake"
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
expect "tweed-uninstalled.pc" eval '(uninstalled)'
finish
