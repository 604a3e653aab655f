#!/bin/sh
# mpi.sh - loops over ranks, under one MPI, or each of MPIS="mpich openmpi".
#
# SPDX-License-Identifier: MIT
#
# libtweed-mpi is compiled anew for each MPI, since it is built for one at most.
. "${top_srcdir:-.}/t/support/tap.sh"
. "${top_srcdir:-.}/t/support/launch.sh"

case $SANITIZER_FLAGS in
*coverage*) skip_all "it is not about lib/" ;;
esac
forget_options
OMPI_CC=$CC MPICH_CC=$CC # what mpicc is a wrapper of
export OMPI_CC MPICH_CC

# MPI is not instrumented; what of it has to be passed by:
#   leaks of MPI's own, and of plugins that are not there any more when leaks are looked for.
#   So a leak fails a test by the names of our sources (clean());
#   UCX, of MPICH, puts itself before madvise(), which a thread calls that ThreadSanitizer
#   has already said goodbye to: it crashes;
#   Open MPI's TCP locks two mutexes in two orders.
LSAN_OPTIONS=exitcode=0 UCX_MEM_EVENTS=n
TSAN_OPTIONS="$TSAN_OPTIONS:suppressions=$work/suppressions"
[ -z "$SANITIZER_FLAGS" ] || export LSAN_OPTIONS UCX_MEM_EVENTS
echo 'deadlock:mca_btl_tcp.so' > "$work/suppressions"

# clean RANKS COMMAND...: no report that names our sources
clean()
{
    under "$@" > "$work/said" 2>&1
    status=$?
    cat "$work/said"
    [ $status = 0 ] && ! grep -e 'ERROR: Addr' -e 'WARNING: Thr' -e 'runtime error:' \
        -e '/mpi/[a-z]*\.c:[0-9]' "$work/said"
}

kinds=$(mpi_kinds)
[ -n "$kinds" ] || skip_all "there is no MPI"

compile()
{
    mpicc$kind $SANITIZER_FLAGS -std=gnu11 -O1 -Wall -Wextra -I"$build" -I"$source/include" \
        -I"$source/t/mpi" "$@"
}

# objects FOLDER FLAG...: libtweed-mpi
objects()
{
    folder=$work/$1
    shift
    rm -rf "$folder"
    mkdir "$folder" && (cd "$folder" && compile "$@" -c "$source"/mpi/*.c)
}

# program NAME SOURCE FOLDER FLAG...
program()
{
    to=$work/$1 from=$2 with=$work/$3
    shift 3
    compile "$from" "$with"/*.o -o "$to" $(link_with_any) -pthread "$@"
}

compile_all()
{
    objects one && objects several -DTWEED__SHARE=0 &&
        objects tree -DTWEED__SHARE=0 -DFAN=1 &&
        objects none_near -DNEAR_DRAWS=0 && objects all_near -DNEAR_DRAWS=4 &&
        program loops "$source/t/mpi/loops.c" one &&
        program reduce "$source/t/mpi/reduce.c" one &&
        program errors "$source/t/mpi/errors.c" one &&
        program memory "$source/t/mpi/memory.c" one -Wl,--wrap=malloc,--wrap=calloc &&
        program threads "$source/t/mpi/threads.c" one &&
        program rma "$source/t/mpi/loops.c" several &&
        program deep "$source/t/mpi/loops.c" tree &&
        program anywhere "$source/t/mpi/loops.c" none_near &&
        program near "$source/t/mpi/loops.c" all_near
}

headers()
{
    flags=$(mpicc$kind -show | tr ' ' '\n' | grep '^-I' | sed 's/^-I/-isystem /')
    cat > "$work/use.c" << 'END'
#include <tweed/mpi.h>
#include <tweed/mpi.h>
TWEED_MPI_LOOP(twice, i, double *, x) { x[i] *= 2; }
extern int use(double *x);
int use(double *x)
{
    tweed_mpi_options o = TWEED_MPI_OPTIONS_INIT;
    tweed_mpi_stats s = TWEED_MPI_STATS_INIT;

    o.stats = &s;
    return twice(MPI_COMM_WORLD, &o, 0, 9, x);
}
END
    cp "$work/use.c" "$work/use.cc"
    for std in c11 c17; do
        $CC -std=$std -Wall -Wextra -Wconversion -pedantic -Werror -I"$source/include" \
            $flags -c "$work/use.c" -o "$work/use.o" || return
    done
    $CXX -x c++ -E /dev/null > /dev/null 2>&1 || return 0
    for std in c++11 c++17; do
        $CXX -std=$std -Wall -Wextra -Wconversion -Werror -DOMPI_SKIP_MPICXX \
            -DMPICH_SKIP_MPICXX -I"$source/include" $flags -c "$work/use.cc" \
            -o "$work/use.o" || return
    done
}

# The examples of a man page.
examples() # PAGE
{
    extract "$source/doc/$1" || return
    for block in "$work"/*.block; do
        cp "$block" "$work/example.c" && program example "$work/example.c" one &&
            under 3 "$work/example" || return
    done
}

errors()
{
    expect "$mpi: MPI_THREAD_SINGLE" clean 2 "$work/errors" thread
    expect "$mpi: no copy of a communicator" clean 2 "$work/errors" copy
    expect "$mpi: no window" clean 2 "$work/errors" setup
    expect "$mpi: MPI fails on one rank" clean 2 "$work/errors" one
    expect "$mpi: MPI fails later" clean 2 "$work/errors" late
}

with_sanitizer() # 9 tests
{
    expect "$mpi: loops" clean 2 "$work/loops"
    expect "$mpi: reductions" clean 2 "$work/reduce"
    expect "$mpi: no memory on one rank" clean 2 "$work/memory"
    case $SANITIZER_FLAGS$mpirun_flags in
    *thread*oversubscribe*)
        skip 1 "Open MPI hands data from thread to thread: ThreadSanitizer sees no order" ;;
    *) expect "$mpi: MPI_THREAD_MULTIPLE" clean 2 "$work/threads" ;;
    esac
    errors
}

without() # 23 tests
{
    for n in 1 2 4 8; do
        expect "$mpi: loops, $n ranks" under $n "$work/loops"
    done
    for n in 1 2 4; do
        expect "$mpi: reductions, $n ranks" under $n "$work/reduce"
    done
    for n in 2 4; do
        expect "$mpi: $n ranks, which steal from any" under $n "$work/anywhere" victims
        expect "$mpi: $n ranks, which steal on their node" under $n "$work/near" victims
    done
    mpirun_flags="$mpirun_flags $rma_flags"
    expect "$mpi: loops as on several nodes, 3 ranks" under 3 "$work/rma" helped
    expect "$mpi: the same, each rank below the one before" under 3 "$work/deep" helped
    launch_by mpirun$kind
    expect "$mpi: no memory on one rank" under 2 "$work/memory"
    expect "$mpi: MPI_THREAD_MULTIPLE" under 3 "$work/threads"
    expect "$mpi: MPI_THREAD_SERIALIZED" under 2 "$work/threads" serialized
    errors
    expect "$mpi: the examples of tweed_mpi_parallel_for(3)" examples tweed_mpi_parallel_for.3
    expect "$mpi: the example of tweed_mpi_parallel_reduce(3)" \
        examples tweed_mpi_parallel_reduce.3
}

case $SANITIZER_FLAGS in
'') tests=23 these=without ;;
*) tests=9 these=with_sanitizer ;;
esac
plan $(((tests + 2) * $(echo $kinds | wc -w)))
for kind in $kinds; do
    kind=${kind#-}
    mpi="mpicc$kind"
    launch_by mpirun$kind
    expect "$mpi: compiles" compile_all
    expect "$mpi: the header, in C and C++" headers
    if can_launch; then
        $these
    else
        skip $tests "$mpirun does not run here"
    fi
done
finish
