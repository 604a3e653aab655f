#!/bin/sh
# mutants.sh - breaks placement on purpose, and shows which test on which emulated
# machine notices, as TAP.
#
# SPDX-License-Identifier: MIT
#
#   mutants.sh [NAME-PATTERN]     (CC, CPPFLAGS and LIBS from the environment)
#
# The file mutants says how.  Each is built from a copy of the sources and run by
# check.sh, the one program on the one machine; it is caught if the test that is named
# there fails.
. "${top_srcdir=.}/t/support/tap.sh"
pattern=${1:-.}
grep '^#define HAVE_LIBNUMA 1' "$build/config.h" > /dev/null ||
    skip_all "built without libnuma"
mkdir "$work/objects" "$work/changed" "$work/folder"

compile() # FILE TO
{
    # shellcheck disable=SC2086 # flags are words
    $CC -std=gnu11 -O1 -w -fexceptions -pthread -D_GNU_SOURCE ${CPPFLAGS-} -I"$build" \
        -I"$source/include" -I"$source/lib" -I"$source/t/support" -I"$source/t/numa" \
        -c "$1" -o "$2" || exit 99
}

# The library as it is, and the programs, once.
for file in "$source"/lib/*.c; do
    name=${file##*/}
    compile "$file" "$work/objects/${name%.c}.o"
done

# Builds the program with the changed file in the place of the library's own.
build_program() # FILE PROGRAM
{
    cp "$work/objects/"*.o "$work/changed"
    compile "$work/$1" "$work/changed/${1%.c}.o"
    compile "$source/t/numa/$2.c" "$work/$2.o"
    rm -f "$work/folder/"*
    # shellcheck disable=SC2086 # libraries are words
    $CC -pthread "$work/$2.o" "$work/changed/"*.o ${LIBS--lnuma} -lm \
        -o "$work/folder/$2.t"
}

one() # NAME MEANING FILE MACHINE PROGRAM TEST SCRIPT
{
    sed "$7" "$source/lib/$3" > "$work/$3"
    if cmp -s "$work/$3" "$source/lib/$3"; then
        echo "the script changes nothing" > "$work/output"
        result 1 "$1: $2"
        return
    fi
    build_program "$3" "$5" &&
        (top_builddir=$build top_srcdir=$source sh "$source/t/numa/check.sh" \
            "$work/folder" "$4" < /dev/null) > "$work/output" 2>&1
    grep '^not ok ' "$work/output" | grep -F -- "$5" | grep -F -- "$6" > "$work/caught"
    result $? "$1: $2 ($4, $5: $6)"
}

while read -r head; do
    case $head in '#'* | '') continue ;; esac
    read -r file machine program test && IFS= read -r script || exit 99
    name=${head%%:*}
    echo "$name" | grep -e "$pattern" > /dev/null || continue
    one "$name" "${head#*: }" "$file" "$machine" "$program" "$test" "${script#    }"
done < "$source/t/numa/mutants"
echo "1..$number"
[ "$failed" -eq 0 ] && [ "$number" -gt 0 ]
