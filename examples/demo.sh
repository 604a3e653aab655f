#!/bin/sh
#
# demo.sh - runs the larger examples and prints one table of their times.
#
# SPDX-License-Identifier: MIT
#
# Usage: sh demo.sh BUILDDIR OUTDIR
#
# BUILDDIR holds the programs; OUTDIR, which is made if need be, receives the
# inputs and the pictures.  `make demo` calls it.  DEMO_FLAGS are given to each
# program that is measured, such as --repeats=1 for a hurry.

if [ $# -ne 2 ]; then
    echo "usage: sh demo.sh BUILDDIR OUTDIR" >&2
    exit 1
fi
bin=$1
out=$2
status=0

mkdir -p "$out" || exit 1

# Without libpng pictures are .ppm; what an earlier demo left is not ours.
rm -f "$out"/picture.* "$out"/mandelbrot.* "$out"/median.* "$out"/heat.* "$out"/trace.* ||
    exit 1

echo "making a noisy picture, a skewed matrix, and numbers to sort ..."
"$bin/mkpicture" -o "$out/picture.png" >/dev/null || exit 1
"$bin/mkmatrix" -o "$out/matrix.mtx" >/dev/null || exit 1
for picture in "$out"/picture.*; do :; done
# the values of the entries, which have no order
sed -e '1,3d' -e 's/.* //' "$out/matrix.mtx" >"$out/numbers.txt" || exit 1
echo "the smallest example, hello, says: $("$bin/hello")" || status=1
echo

# row PROGRAM ARGUMENT...: its row of the table
row() {
    program=$1
    shift
    # shellcheck disable=SC2086 # DEMO_FLAGS are words
    "$bin/$program" --row ${DEMO_FLAGS-} "$@" || status=1
}

"$bin/mandelbrot" --header || exit 1
TWEED_TRACE=$out/trace.json
export TWEED_TRACE
row mandelbrot -o "$out/mandelbrot.png"
unset TWEED_TRACE
row median -o "$out/median.png" "$picture"
row heat -o "$out/heat.png"
row spmv -o "$out/product.mtx" "$out/matrix.mtx"
row sort --numeric -o "$out/sorted.txt" "$out/numbers.txt"
row queens
row hash-tree -o "$out/hashes.txt" "$(dirname "$0")/.."

echo
echo "each answer was compared with the serial one; the pictures are"
for picture in "$out"/mandelbrot.* "$out"/picture.* "$out"/median.* \
    "$out"/heat.*; do
    [ -f "$picture" ] && echo "    $picture"
done
# What the workers did in the last run of the first row.
if [ -x "$bin/../tools/tweed-trace" ]; then
    if "$bin/../tools/tweed-trace" --loop=mandelbrot --call=-1 \
        --title="Mandelbrot: what each worker did" -o "$out/trace.svg" "$out/trace.json"
    then
        echo "what each worker did in the last run of mandelbrot is in"
        echo "    $out/trace.svg, for a browser"
    else
        status=1
    fi
else
    echo "(no picture of what each worker did: tweed-trace needs jansson)"
fi
[ "$status" -eq 0 ] || echo "but at least one program has failed" >&2
exit "$status"
