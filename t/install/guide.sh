#!/bin/sh
# guide.sh - the code of doc/from-openmp.md compiles, OpenMP's and ours; functions of
# the same name do the same, and what guide.c expects of them.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
once_only

guide=$source/doc/from-openmp.md
openmp=$(sed -n 's/^OPENMP_FLAGS = *//p' "$build/Makefile")
case $SANITIZER_FLAGS in
*thread*) openmp= ;; # to ThreadSanitizer OpenMP's loops are races
esac
forget_options
OMP_WAIT_POLICY=passive
export OMP_WAIT_POLICY
mkdir "$work/openmp" "$work/tweed" || exit 99

# The code of each section is a file: what has pragmas, or is followed by "becomes",
# in one folder, and the rest in the other.  Lines keep their numbers.
extract()
{
    $AWK -v openmp="$work/openmp" -v tweed="$work/tweed" -v guide="$guide" '
        function put(    folder, k)
        {
            if (!length(block))
                return
            folder = block ~ /#pragma omp/ ? openmp : tweed
            file = folder "/" section ".c"
            if (!(file in seen)) {
                seen[file] = 1
                n = split("math.h pthread.h stdio.h stdlib.h string.h", names, " ")
                for (k = 1; k <= n; k++)
                    print "#include <" names[k] ">" > file
                if (folder == tweed)
                    print "#include <tweed.h>" > file
            }
            printf "#line %d \"%s\"\n%s", first, guide, block > file
            block = ""
        }
        /^##/ { put(); section = $0; gsub(/[^A-Za-z]+/, "-", section) }
        /^    / {
            if (!length(block))
                first = NR
            block = block substr($0, 5) "\n"
            next
        }
        /^$/ { if (length(block)) block = block "\n"; next }
        { put() }
        END { put() }' "$guide"
}

objects() # FOLDER FLAG...
{
    folder=$1
    shift
    for file in "$work/$folder"/*.c; do
        $CC -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-unknown-pragmas \
            -fno-common $SANITIZER_FLAGS -I"$source/include" "$@" -c "$file" \
            -o "${file%.c}.o" || return 1
    done
}

program() # FOLDER FLAG...
{
    folder=$1
    shift
    $CC -std=gnu11 -Wall -Wextra -Werror $SANITIZER_FLAGS -I"$source/include" \
        "$@" "$source/t/install/guide.c" "$work/$folder"/*.o \
        -o "$work/$folder/guide" $(link_with_any) -pthread -lm
}

# has_row WORD...: each is in the first column of the table
has_row()
{
    for word; do
        sed -n 's/^| \([^|]*\) |.*/\1/p' "$guide" | grep -w -e "$word" && continue
        echo "no row for $word"
        return 1
    done
}

# Each link within the page has a heading.
has_headings()
{
    grep '^##' "$guide" | sed 's/^#* //' | tr 'A-Z ' 'a-z-' | tr -d ',+`' \
        > "$work/headings"
    grep -o '](#[^)]*)' "$guide" | sed 's/](#\(.*\))/\1/' | sort -u |
        while read -r link; do
            grep -F -x -e "$link" "$work/headings" && continue
            echo "no heading for $link"
            return 1
        done
}

# What OpenMP's code does ours does too.
same_sections()
{
    for file in "$work"/openmp/*.c; do
        [ -f "$work/tweed/${file##*/}" ] && continue
        echo "OpenMP's code alone: ${file##*/}"
        return 1
    done
    [ "$(ls "$work"/tweed/*.c | wc -l)" -ge 13 ]
}

plan 9
expect "a row for every directive" has_row for task taskwait taskloop taskgroup \
    sections section single master barrier threadprivate ordered atomic critical \
    simd cancel parallel depend flush target
expect "a row for every clause" has_row schedule num_threads collapse reduction \
    shared private firstprivate lastprivate nowait if scan copyprivate
expect "links within the page lead somewhere" has_headings
expect "the page has code" extract
expect "of both sides" same_sections
expect "tweed's code is compiled" objects tweed
if program tweed > "$work/output" 2>&1; then
    expect "and does what it should" "$work/tweed/guide"
else
    result 1 "and does what it should"
fi
if [ -n "$openmp" ]; then
    # A loop that clang cannot vectorise at -O2, whatever `simd` asks, is no mistake.
    # Nor are the unsigned bounds which clang 14 gives to a `taskloop`.
    expect "OpenMP's code is compiled" objects openmp $openmp -Wno-pass-failed \
        -Wno-sign-compare
    if program openmp $openmp > "$work/output" 2>&1; then
        # libgomp does not always free its tasks' memory
        expect "and does the same" env ASAN_OPTIONS=detect_leaks=0 \
            "$work/openmp/guide"
    else
        result 1 "and does the same"
    fi
else
    skip 2 "no OpenMP"
fi
finish
