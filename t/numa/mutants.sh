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
# there fails.  The library as it is comes first: nothing may fail.
. "${top_srcdir=.}/t/support/tap.sh"
pattern=${1:-.}
mkdir "$work/objects" "$work/changed" "$work/folder"

check() # MACHINE
{
    top_builddir=$build top_srcdir=$source sh "$source/t/numa/check.sh" \
        "$work/folder" "$1" < /dev/null
}

reason=$(check none 2> /dev/null | sed -n 's/^1\.\.0 # SKIP //p')
[ -z "$reason" ] || skip_all "$reason"

compile() # FILE TO
{
    # shellcheck disable=SC2086 # flags are words
    $CC -std=gnu11 -O1 -w -fexceptions -pthread -D_GNU_SOURCE ${CPPFLAGS-} -I"$build" \
        -I"$source/include" -I"$source/lib" -I"$source/t/support" -I"$source/t/numa" \
        -c "$1" -o "$2" || exit 99
}

# The library as it is, and the programs, once.
for file in "$source"/lib/*/*.c; do
    name=${file##*/}
    compile "$file" "$work/objects/${name%.c}.o"
done

link_program() # PROGRAM FOLDER
{
    compile "$source/t/numa/$1.c" "$work/$1.o"
    # shellcheck disable=SC2086 # libraries are words
    $CC -pthread "$work/$1.o" "$work/$2/"*.o ${LIBS--lnuma} -lm -o "$work/folder/$1.t"
}

sound() # MACHINE
{
    for file in "$source"/t/numa/*.c; do
        program=${file##*/}
        link_program "${program%.c}" objects
    done
    expect "nothing is broken ($1)" check "$1"
}

one() # NAME MEANING FILE MACHINE PROGRAM TEST SCRIPT
{
    sed "$7" "$source"/lib/*/"$3" > "$work/$3"
    if cmp -s "$work/$3" "$source"/lib/*/"$3"; then
        echo "the script changes nothing" > "$work/output"
        result 1 "$1: $2"
        return
    fi
    rm -f "$work/folder/"* "$work/output"
    cp "$work/objects/"*.o "$work/changed"
    compile "$work/$3" "$work/changed/${3%.c}.o"
    link_program "$5" changed && check "$4" > "$work/output" 2>&1
    grep '^not ok ' "$work/output" | grep -F -- "$5" | grep -F -- "$6" > "$work/caught"
    result $? "$1: $2 ($4, $5: $6)"
}

sound 2x2
while read -r head; do
    case $head in '#'* | '') continue ;; esac
    read -r file machine program test && IFS= read -r script || exit 99
    name=${head%%:*}
    echo "$name" | grep -e "$pattern" > /dev/null || continue
    one "$name" "${head#*: }" "$file" "$machine" "$program" "$test" "${script#    }"
done < "$source/t/numa/mutants"
echo "1..$number"
[ "$failed" -eq 0 ] && [ "$number" -gt 0 ]
