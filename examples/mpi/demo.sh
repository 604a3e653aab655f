#!/bin/sh
#
# demo.sh - runs the examples over ranks and prints one table of their times.
#
# SPDX-License-Identifier: MIT
#
# Usage: MPIRUN=mpirun sh demo.sh BUILDDIR OUTDIR
#
# BUILDDIR holds the programs, those of MPI in mpi/; OUTDIR receives the picture.
# `make demo-mpi` calls it.  With one worker a rank there are as many ranks as CPUs where
# bodies compute, and eight where they sleep; there are four of four workers then, too.
# RANKS="2 4" asks for other numbers.

if [ $# -ne 2 ]; then
    echo "usage: MPIRUN=mpirun sh demo.sh BUILDDIR OUTDIR" >&2
    exit 1
fi
bin=$1
out=$2
: "${MPIRUN=mpirun}"
status=0
flags=
if $MPIRUN --version 2>&1 | grep -q -e 'Open MPI' -e OpenRTE; then
    flags=--oversubscribe
    [ "$(id -u)" != 0 ] || flags="$flags --allow-run-as-root"
fi
TWEED_NUM_WORKERS=${TWEED_NUM_WORKERS:-1}
TWEED_BIND=${TWEED_BIND:-none} # ranks of one machine do not know of each other
export TWEED_NUM_WORKERS TWEED_BIND

mkdir -p "$out" || exit 1
"$bin/mkmatrix" -o "$out/matrix.mtx" >/dev/null || exit 1

# row RANKS PROGRAM ARGUMENT...
row() {
    ranks=$1
    program=$2
    shift 2
    # shellcheck disable=SC2086 # flags are words
    $MPIRUN $flags -n "$ranks" "$bin/mpi/$program" "$@" || status=1
}

header=--header
for n in ${RANKS:-$(nproc)}; do
    row "$n" mandelbrot $header -o "$out/mandelbrot-mpi.png"
    row "$n" spmv "$out/matrix.mtx"
    header=
done
for n in ${RANKS:-8}; do
    row "$n" scan
done
TWEED_NUM_WORKERS=4
for n in ${RANKS:-4}; do
    row "$n" scan
done
echo
echo "each answer was compared with that of the other ways; the picture is in $out"
exit $status
