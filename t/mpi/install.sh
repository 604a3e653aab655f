#!/bin/sh
# install.sh - a program over ranks is built with what is installed, by pkg-config, and runs.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
. "${top_srcdir:-.}/t/support/installed.sh"
. "${top_srcdir:-.}/t/support/launch.sh"

[ -f "$build/mpi/libtweed-mpi.la" ] || skip_all "libtweed-mpi is not built"
[ -z "$SANITIZER_FLAGS" ] || skip_all "the library is built with a sanitizer"
forget_options
launch_by_configured

# The files that pkg-config reads, as they would be in the prefix that all is in now.
point_to_files()
{
    mkdir "$work/pc" || return
    for name in tweed tweed-mpi; do
        sed "s|^prefix=.*|prefix=${includedir%/include}|" \
            "$(dirname "$pc")/$name.pc" > "$work/pc/$name.pc" || return
    done
    PKG_CONFIG_PATH=$work/pc
    export PKG_CONFIG_PATH
    [ "$($PKG_CONFIG --variable=libdir tweed-mpi)" = "$libdir" ]
}

cat > "$work/program.c" <<'END'
#include <stdio.h>
#include <tweed/mpi.h>

TWEED_MPI_LOOP(square, i, double *, y)
{
    y[i] = (double)i * (double)i;
}

int main(int argc, char **argv)
{
    static double y[1000];
    double sum = 0;
    int level, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (square(MPI_COMM_WORLD, NULL, 0, 1000, y) != TWEED_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allreduce(MPI_IN_PLACE, y, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 1000; i++)
        sum += y[i];
    if (rank == 0)
        printf("%.0f\n", sum);
    MPI_Finalize();
    return sum != 332833500;
}
END

# program NAME COMPILER
program()
{
    name=$1
    shift
    "$@" -Wall -Wextra -Werror "$work/program.c" -o "$work/$name" \
        $($PKG_CONFIG --cflags --libs tweed-mpi)
}

# The linker would prefer the shared ones.
with_static()
{
    $CC "$work/program.c" -o "$work/static" \
        $($PKG_CONFIG --static --cflags --libs tweed-mpi |
            sed 's/-ltweed-mpi/-l:libtweed-mpi.a/; s/-ltweed\>/-l:libtweed.a/')
}

run()
{
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}

# Does it need the installed copies?
needs_them()
{
    run ldd "$1" > "$work/needed" && grep "libtweed-mpi\.so.*$libdir" "$work/needed" &&
        grep "libtweed\.so.*$libdir" "$work/needed"
}

on_three_ranks()
{
    run under 3 "$1" > "$work/out" && only_line "$work/out" 332833500
}

libtweed_knows_nothing_of_mpi()
{
    run ldd "$libdir/libtweed.so" > "$work/needed" && ! grep -i 'libmpi' "$work/needed"
}

plan 10
expect "make install DESTDIR=..." install
if ! find_installed || ! point_to_files; then
    skip 9 "nothing was installed"
    finish
fi
expect "the header is there" test -f "$includedir/tweed/mpi.h"
if [ -f "$libdir/libtweed-mpi.so" ]; then
    expect "libtweed does not need MPI" libtweed_knows_nothing_of_mpi
    expect "a program is built by the C compiler" program by-cc $CC
    expect "and needs both libraries" needs_them "$work/by-cc"
    expect "and runs on three ranks" on_three_ranks "$work/by-cc"
    expect "a program is built by the MPI compiler that tweed-mpi.pc names" \
        program by-mpicc "$($PKG_CONFIG --variable=mpicc tweed-mpi)"
    expect "and runs on three ranks" on_three_ranks "$work/by-mpicc"
else
    skip 6 "no shared library"
fi
if [ -f "$libdir/libtweed-mpi.a" ]; then
    expect "a program is built with the static libraries" with_static
    expect "and runs on three ranks" on_three_ranks "$work/static"
else
    skip 2 "no static library"
fi
finish
