#!/bin/sh
# man.sh - the example of every man page works: what stands between .EX and .EE
# under EXAMPLES is a C, C++ or Fortran program, which is built and run, or else commands.
# And tweed(7) names all pages.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
long_only
. "${top_srcdir:-.}/t/support/launch.sh"

: "${FC=gfortran}"

# The pages of the source tree and those made from templates, once each.
pages=$(
    for page in "$source"/doc/*.[137] "$build"/doc/*.[137]; do
        [ -f "$page" ] && echo "$page"
    done | $AWK -F/ '!seen[$NF]++'
)
[ -n "$pages" ] || skip_all "there are no man pages"

# What fails now and then shall be seen.
again_and_again()
{
    for run in 1 2 3; do
        "$1" || { echo "run $run failed"; return 1; }
    done
}

a_program()
{
    cp "$1" "$work/example.c" &&
        $CC -std=gnu11 -Wall -Wextra -Werror $SANITIZER_FLAGS \
            -I"$source/include" "$work/example.c" -o "$work/example" \
            $(link_with_any) -pthread &&
        again_and_again "$work/example"
}

a_program_in_cxx()
{
    cp "$1" "$work/example.cc" &&
        $CXX -std=c++11 -Wall -Wextra -Werror $SANITIZER_FLAGS \
            -I"$source/include" "$work/example.cc" -o "$work/example" \
            $(link_with_any) -pthread &&
        again_and_again "$work/example"
}

a_program_in_fortran()
{
    cp "$1" "$work/example.f90" &&
        (cd "$work" && $FC -std=f2008 -Wall -Werror "$source/include/tweed.f90" \
            example.f90 -o example $(link_with_any)) &&
        again_and_again "$work/example"
}

# It runs on three ranks.
a_program_over_ranks()
{
    mpi=$build/mpi/.libs/libtweed-mpi
    if [ -f "$mpi.so" ]; then
        with="-L$build/mpi/.libs -ltweed-mpi -Wl,-rpath,$build/mpi/.libs"
    else
        with=$mpi.a
    fi
    cp "$1" "$work/example.c" &&
        $CC -std=gnu11 -Wall -Wextra -Werror -I"$source/include" \
            $(sed -n 's/^MPI_CPPFLAGS = //p' "$build/Makefile") "$work/example.c" \
            -o "$work/example" $with $(link_with_any) \
            $(sed -n 's/^MPI_LIBS = //p' "$build/Makefile") -pthread &&
        under 3 "$work/example"
}

# Lines that say mpirun shall mean the one that configure has found, with the flags that it
# needs here.
mpirun_is_found()
{
    can_launch && mkdir "$work/bin" &&
        printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v $mpirun) $mpirun_flags" > "$work/bin/mpirun" &&
        chmod +x "$work/bin/mpirun"
}

# Programs that it names are those that were built; a line that fails is an
# error even if it is not the last.
commands()
{
    cat "$1"
    ln -sf "$(cd "$build/examples" && pwd)/hello" "$work/hello"
    (cd "$work" && CPATH=$source/include PATH=$work/bin:$build/tools:$build/examples:$PATH sh -eu "$1")
}

works()
{
    extract "$1" || return 1
    for block in "$work"/*.block; do
        if grep -q 'use tweed' "$block"; then
            a_program_in_fortran "$block"
        elif grep -q 'tweed.hpp' "$block"; then
            a_program_in_cxx "$block"
        elif grep -q 'tweed/mpi.h' "$block"; then
            a_program_over_ranks "$block"
        elif grep -q 'main(' "$block"; then
            a_program "$block"
        else
            commands "$block"
        fi || return 1
    done
}

# tweed(7) names every other page and every header, as `man` shows it.
leads_everywhere()
{
    page=$(echo "$pages" | grep '/tweed\.7$')
    sed 's/\\-/-/g; s/^\.BR \([^ ]*\) (\([137]\)).*/\1.\2/' "$page" > "$work/leads"
    missing=
    for other in $pages; do
        name=$(basename "$other")
        [ "$name" = tweed.7 ] ||
            sed '1,/^\.SH SEE ALSO/d' "$work/leads" | grep -qFx "$name" ||
            missing="$missing $name"
    done
    for header in "$source"/include/tweed.h* "$source"/include/tweed/*.h; do
        name=${header#"$source/include/"}
        grep -qF "<$name>" "$work/leads" || missing="$missing <$name>"
    done
    [ -z "$missing" ] || { echo "not in tweed(7):$missing"; return 1; }
}

plan $(($(echo "$pages" | wc -l) + 1))
for page in $pages; do
    name=$(basename "$page")
    case $name in
    *.1) # describes a program
        if [ ! -x "$build/tools/${name%.1}" ]; then
            skip 1 "$name: the program is not built"
        elif [ "$name" != tweed-mpi-info.1 ]; then
            expect "$name: the examples work" works "$page"
        elif [ -n "$SANITIZER_FLAGS" ]; then
            skip 1 "$name: MPI leaks"
        elif launch_by_configured && mpirun_is_found; then
            expect "$name: the examples work" works "$page"
        else
            skip 1 "$name: $mpirun does not run here"
        fi ;;
    tweed.hpp.3 | tweed_alloc.3 | tweed_scratch.3)
        if echo 'int main() {}' > "$work/empty.cc" &&
            $CXX -std=c++11 -c "$work/empty.cc" -o "$work/empty.o" 2> /dev/null
        then
            expect "$name: the examples work" works "$page"
        else
            skip 1 "$name: no C++ compiler"
        fi ;;
    tweed.f90.3)
        echo end > "$work/empty.f90"
        if [ -n "$SANITIZER_FLAGS" ]; then
            skip 1 "$name: the library is built with a sanitizer"
        elif $FC -c "$work/empty.f90" -o "$work/empty.o" 2> /dev/null; then
            expect "$name: the examples work" works "$page"
        else
            skip 1 "$name: no Fortran compiler"
        fi ;;
    tweed_mpi_*)
        if [ ! -f "$build/mpi/libtweed-mpi.la" ]; then
            skip 1 "$name: libtweed-mpi is not built"
        elif [ -n "$SANITIZER_FLAGS" ]; then
            skip 1 "$name: the library is built with a sanitizer"
        elif launch_by_configured && can_launch; then
            expect "$name: the examples work" works "$page"
        else
            skip 1 "$name: $mpirun does not run here"
        fi ;;
    *) expect "$name: the examples work" works "$page" ;;
    esac
done
expect "tweed(7) leads to every page and every header" leads_everywhere
finish
