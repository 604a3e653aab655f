#!/bin/sh
# fortran.sh - the Fortran module compiles, without a warning, and does what C does; the
# example in Fortran works.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
once_only

: "${FC=gfortran}"
[ -z "$SANITIZER_FLAGS" ] || skip_all "the library is built with a sanitizer"
cd "$work" || exit 99
forget_options
echo end > empty.f90
$FC empty.f90 -o empty > /dev/null 2>&1 || skip_all "no Fortran compiler"

# built PROGRAM OPTION...: without a warning
built()
{
    program=$1
    shift
    rm -f program ./*.mod
    $FC -O2 -Wall -Wextra -Werror "$@" "$source/include/tweed.f90" "$program" \
        $(link_with_any) -o program
}

example()
{
    built "$source/examples/saxpy.f90" -std="$1" && seen 0 ./program &&
        is_empty "$work/err" && [ "$(echo $(cat "$work/out"))" = "42. 42000." ]
}

# Every check of the program, and as many as it has planned.
all_checks()
{
    built "$source/t/install/fortran.f90" -Wno-compare-reals \
        -Wno-function-elimination "$@" || return 1
    TWEED_NUM_WORKERS=3 seen 0 ./program || return 1
    is_empty "$work/err" && ! grep '^not ok' "$work/out" &&
        [ "1..$(grep -c '^ok' "$work/out")" = "$(grep '^1\.\.' "$work/out")" ]
}

shows_name()
{
    grep 'loop a-name-from-fortran in slot' "$work/out"
}

# Without a code to put it into an error ends the program, with its text.
stops()
{
    cat > stops.f90 <<'F'
program stops
  use tweed
  type(c_ptr) :: pool
  call tweed_pool_create(pool, tweed_pool_options(num_workers=-1))
  print '(a)', 'goes on'
end program
F
    built stops.f90 -std=f2018 && seen 1 ./program && is_empty "$work/out" &&
        grep -x 'tweed: invalid argument' "$work/err"
}

plan 7
expect "the example, as Fortran 2008" example f2008
expect "the example, as Fortran 2018" example f2018
expect "the example, with GNU's extensions" example gnu
expect "every call" all_checks
expect "a loop has its name" shows_name
expect "every call, bounds and pointers checked" all_checks -g -fcheck=all
expect "an error that nobody asks for ends the program" stops
finish
