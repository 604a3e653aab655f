#!/bin/sh
# baseline.sh - compares the shared libraries with t/abi/*.abi, or writes these; called by
# make check-abi and make record-abi.
#
# SPDX-License-Identifier: MIT
#
# Functions that are new are no difference.  libtweed-mpi's is that with Open MPI: MPI_Comm
# is another type elsewhere.
set -eu
cd "$top_builddir"
libraries=lib/.libs/libtweed.so
case $MPI_LIBS in
*-lmpich*) ;;
*) [ ! -e mpi/.libs/libtweed-mpi.so ] || libraries="$libraries mpi/.libs/libtweed-mpi.so" ;;
esac
command -v abidw > /dev/null || {
    echo "no abidw (Debian: abigail-tools)" >&2
    exit 1
}

# What the tree of the build, its compiler's lines and the system's libraries are is not ABI.
record()
{
    abidw --headers-dir "$top_srcdir/include" --exported-interfaces-only --no-corpus-path \
        --no-comp-dir-path --no-show-locs --no-parameter-names --drop-private-types \
        --drop-undefined-syms --type-id-style hash "$1" |
        sed -e '/<elf-needed>/,/<\/elf-needed>/d' -e "s/ language='[^']*'//"
}

# "LIBRARY NODE FUNCTION" of each function, behind the soname.
symbols()
{
    readelf -d lib/.libs/libtweed.so | sed -n 's/.*Library soname: \[\(.*\)\]/soname \1/p'
    for library in $libraries; do
        name=${library##*/lib} name=${name%.so}
        nm -D --with-symbol-versions "$library" |
            sed -n "s/.* T \(tweed_[a-z0-9_]*\)@@*\(TWEED_[A-Z0-9_.]*\)\$/$name \2 \1/p"
    done
}

failed=no
for library in $libraries; do
    name=${library##*/}
    baseline=$top_srcdir/t/abi/${name%.so}.abi
    case $1 in
    record-abi) record "$library" > "$baseline" ;;
    *)
        if abidiff --no-added-syms --no-show-locs "$baseline" "$library"; then
            echo "ok - $name is what $(basename "$baseline") says"
        else
            echo "not ok - $name"
            failed=yes
        fi
        ;;
    esac
done
[ "$1" != record-abi ] || symbols > "$top_srcdir/t/abi/1.0.symbols"
[ $failed = no ]
