#!/bin/sh
# headers.sh - programs that were compiled with the headers of the recorded ABI run with the
# library of today: the examples as they were in the commit that has recorded it.  For a clone
# with its history, in which the library is built; called by .ci/run.
#
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/../.."
recorded=$(git log -1 --format=%H -- t/abi/1.0.symbols t/abi/libtweed.abi)
old=$(mktemp -d "${TMPDIR:-/tmp}/tweed-abi.XXXXXX")
trap 'rm -rf "$old"' EXIT
git archive "$recorded" include examples | tar -x -C "$old"
export LD_LIBRARY_PATH="$PWD/lib/.libs"

# NAME [SOURCE...]: an example that checks what it has done, with its operands
try() {
    name=$1
    shift
    case $name in
    *.cc) compiler="${CXX:-c++} -std=c++11" ;;
    *) compiler="${CC:-cc} -std=gnu11" ;;
    esac
    $compiler -O2 -I"$old/include" "$old/examples/$name" "$@" -o "$old/program" \
        -Llib/.libs -ltweed -lm -pthread
    if (cd "$old" && ./program $operands > out 2>&1); then
        echo "ok - $name"
        return
    fi
    cat "$old/out"
    echo "not ok - $name of $recorded"
    exit 1
}

operands=
for name in hello saxpy argmin histogram particles keep validate transpose; do
    try $name.c
done
try anagrams.cc
helpers=
for helper in compare program output lines; do
    helpers="$helpers $old/examples/$helper.c"
done
try queens.c $helpers
seq 50000 > "$old/lines"
operands=lines
try sort.c $helpers
operands=examples
try hash-tree.c $helpers
