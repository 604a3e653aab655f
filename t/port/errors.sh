#!/bin/sh
# errors.sh - tweed-port: options, exit statuses, and what it does with bad input: nothing.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
once_only
. "${top_srcdir:-.}/t/support/launch.sh"

port=$build/tools/tweed-port
[ -x "$port" ] || skip_all "tweed-port is not built: no libclang"
cd "$work" || exit 99
plan 25

cat > good.c << 'END'
void twice(double *x, int n);
void twice(double *x, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
END
cp good.c same.c
sed 's/x\[i\] \*= 2;/if (x[i] > 2) break;/' good.c > left.c
echo 'int main(void { return 0; }' > broken.c
flags=-I$source/include

# says STATUS TEXT ARGUMENTS...: the exit status, and a part of what is said
says()
{
    status=$1
    text=$2
    shift 2
    "$port" "$@" > out 2> err
    [ $? -eq "$status" ] && grep -qF -- "$text" err out || { cat out err; false; }
}

untouched()
{
    says "$@" && cmp good.c same.c
}

expect "0: all is ported" says 0 "twice_loop(0, n, x);" good.c -- $flags
expect "1: a pragma is left alone, as compilers say it" \
    says 1 'left.c:4:1: warning: left alone: `break` out of the loop' left.c -- $flags
{ cat good.c; printf '%s\n' '#pragma omp declare simd' 'double half(double x);'; } > simd.c
expect "a flag that the compiler needs from now on" \
    says 0 'simd.c:8:1: note: `simd` stays: compile it with -fopenmp-simd' simd.c -- $flags
expect "... and has already" sh -c "
    '$port' simd.c -- $flags -fopenmp-simd 2>&1 > simd.out | cmp - /dev/null && [ -s simd.out ]"
# A compiler that has no omp.h is given one, which two headers may include.
mkdir builtin
ln -s "$($CC -print-file-name=include)"/std*.h builtin
printf '#include <omp.h>\n#include <omp.h>\n' | cat - good.c > header.c
expect "a file that includes omp.h twice, and a compiler that has none" \
    says 0 "twice_loop(0, n, x);" header.c -- -nobuiltininc -isystem builtin $flags
expect "2: tweed.h is not there" \
    untouched 2 "good.c: 'tweed.h' file not found: say where it is" good.c -- -nostdinc
expect "2: no such file" says 2 "nothing.c: No such file" nothing.c
expect "2: a folder" says 2 "tweed-port: .: " .
expect "2: a file that does not parse" says 2 "broken.c:1:" broken.c
expect "2: no such option" says 2 "no such option: --speed" --speed good.c
expect "2: two files" says 2 "one file at a time" good.c left.c
expect "2: an output without a name" says 2 "-o FILE or" good.c -o
expect "2: no file" says 2 "which file?"
expect "--help" says 0 "usage: tweed-port" --help
expect "--version" says 0 "tweed-port" --version
expect "-v names what is ported" says 0 "good.c:4:1: note: ported" -v good.c -- $flags
expect "a full disk" says 2 "No space left" --output=/dev/full good.c -- $flags
expect "a folder that is not there" untouched 2 "No such file" -o none/x.c good.c -- $flags
expect "--diff makes a patch that patch takes" sh -c "
    '$port' --diff good.c -- $flags > it.diff; cp good.c patched.c &&
    patch -s patched.c it.diff && '$port' good.c -- $flags | cmp - patched.c"
expect "--check, by a compiler that fails: the file stays" \
    env CC=false sh -c '"$1" --check -i good.c -- $2; [ $? -eq 2 ] && cmp good.c same.c' sh "$port" $flags
echo '#error no' > bad.h
expect "the compiler's flags are used" says 2 "no" good.c -- -include ./bad.h
expect "--in-place" says 0 "note: ported" -v -i good.c -- $flags
expect "the file is another one now" grep -q TWEED_LOOP good.c
expect "what the compiler says of it is nothing" \
    $CC -std=gnu11 -Wall -Wextra -Werror -I"$source/include" -c good.c -o good.o
the_example()
{
    "$port" "$source/examples/stencil-openmp.c" -- $flags > stencil.c &&
        $CC -O1 -Wall -Wextra -Werror $SANITIZER_FLAGS $flags stencil.c -o stencil \
            $(link_with_any) -lm -pthread &&
        ./stencil 1000 > two && grep '^100 steps: heat' two &&
        { ! $CC -O1 -fopenmp "$source/examples/stencil-openmp.c" -o before -lm 2> /dev/null ||
            { ./before 1000 > one && cmp one two; }; }
}
expect "the example of README" the_example
finish
