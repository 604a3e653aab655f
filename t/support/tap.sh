# tap.sh - what the tests written in sh share; read by them, not run.
#
# SPDX-License-Identifier: MIT
#
#   plan N, then N times one of
#     expect WORDS COMMAND...   the command must succeed; its output is shown if
#                               it does not
#     refuse WORDS COMMAND...   the command must fail
#     skip N REASON
#   and at the end: finish
#
# $work is a folder of the test's own, removed at the end.  $build and $source are
# absolute.

: "${top_builddir=.}" "${top_srcdir=.}" "${CC=cc}" "${CXX=c++}" "${AWK=awk}"
: "${MAKE=make}" "${SANITIZER_FLAGS=}"
build=$(cd "$top_builddir" && pwd) || exit 99
source=$(cd "$top_srcdir" && pwd) || exit 99
work=$(mktemp -d "${TMPDIR:-/tmp}/tweed-test.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
number=0
failed=0

plan()
{
    planned=$1
    echo "1..$1"
}

skip_all()
{
    echo "1..0 # SKIP $*"
    exit 0
}

result()
{
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        failed=$((failed + 1))
        echo "not ok $number - $2"
        sed 's/^/# /' "$work/output"
    fi
}

expect()
{
    words=$1
    shift
    "$@" > "$work/output" 2>&1
    result $? "$words"
}

refuse()
{
    words=$1
    shift
    if "$@" > "$work/output" 2>&1; then
        echo "this should have failed: $*" >> "$work/output"
        result 1 "$words"
    else
        result 0 "$words"
    fi
}

skip()
{
    skips=$1
    shift
    while [ "$skips" -gt 0 ]; do
        number=$((number + 1))
        echo "ok $number # SKIP $*"
        skips=$((skips - 1))
    done
}

finish()
{
    [ "$number" -eq "$planned" ] || echo "# planned $planned, ran $number"
    [ "$failed" -eq 0 ] && [ "$number" -eq "$planned" ]
    exit
}

# What a build with a sanitizer, or by another compiler, finds no more of than any other
# build does is tested by one of them: .ci/run has TWEED_TEST_ONCE=no in the others.
once_only()
{
    [ "${TWEED_TEST_ONCE-}" != no ] || skip_all "TWEED_TEST_ONCE=no"
}

# make check-long sets TWEED_TEST_LONG=yes, for what takes long and seldom finds anything.
# TWEED_TEST_MATRIX=yes counts as that.
is_long()
{
    [ "${TWEED_TEST_LONG-}" = yes ] || has_matrix
}

long_only()
{
    is_long || skip_all "make check-long has it (TWEED_TEST_LONG=yes)"
}

# With TWEED_TEST_MATRIX=yes users' programs are built by all compilers, in all standards.
has_matrix() # WORD...: then only
{
    [ "${TWEED_TEST_MATRIX-}" = yes ]
}

matrix() # WORD...: then only
{
    ! has_matrix || echo "$*"
}

# The compilers of the matrix, those of them that are there: Debian's own, the oldest that is
# promised, and Debian's newest.
c_matrix()
{
    matrix gcc gcc-11 clang clang-22
}

cxx_matrix()
{
    matrix g++ g++-11 clang++ clang++-22
}

# What a static link with the library needs besides it.
private_libs=$(sed -n 's/^Libs.private: *//p' "$build/tweed.pc")
shared=$build/lib/.libs/libtweed.so
static=$build/lib/.libs/libtweed.a

# How to link a program with the library that was built:
# with the one named, else with any that there is.
link_with()
{
    case $1 in
    "$shared") echo "-L$build/lib/.libs -ltweed -Wl,-rpath,$build/lib/.libs" ;;
    *) echo "$static $private_libs" ;;
    esac
}

link_with_any()
{
    if [ -f "$shared" ]; then
        link_with "$shared"
    else
        link_with "$static"
    fi
}

# The environment of a user who has set nothing of ours, and reads the messages of C.  And a program under
# ThreadSanitizer shall not sleep for a second before it exits, to see what its
# threads may yet do: here are hundreds of programs.
forget_options()
{
    TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}atexit_sleep_ms=0
    export TSAN_OPTIONS
    for option in $(sed -n 's/^TWEED_OPTION(\([A-Z_]*\),.*/TWEED_\1/p' \
        "$source/lib/base/options.def"); do
        unset "$option"
    done
    unset OMP_NUM_THREADS
    LC_ALL=C
    export LC_ALL
}

# seen EXPECTED COMMAND...: the command's exit status is the one expected; what
# it writes goes to $work/out and $work/err, and is shown.
seen()
{
    expected=$1
    shift
    "$@" > "$work/out" 2> "$work/err"
    status=$?
    cat "$work/out" "$work/err"
    [ "$status" -eq "$expected" ] && return
    echo "exit status $status, not $expected: $*"
    return 1
}

# The file has this one line and no other.
only_line()
{
    [ "$(cat "$1"; echo .)" = "$2
." ] && return
    echo "not just this line: $2"
    return 1
}

# The file has one line, with this text (no pattern) in it.
one_line_with()
{
    [ "$(wc -l < "$1")" -eq 1 ] && grep -F -e "$2" "$1" > /dev/null && return
    echo "not one line with '$2'"
    return 1
}

has_line()
{
    grep -F -x -e "$2" "$1" > /dev/null && return
    echo "no line: $2"
    return 1
}

is_empty()
{
    [ ! -s "$1" ] && return
    echo "this should have been empty:"
    cat "$1"
    return 1
}

# What stands between .EX and .EE under EXAMPLES of a man page: a block a file,
# $work/N.block, without the macros, and with roff's escapes turned into what they print.
extract() # PAGE
{
    rm -f "$work"/*.block
    $AWK -v folder="$work" '
        /^\.SH / { within = /^\.SH EXAMPLES?$/ }
        /^\.EE/ { inside = 0 }
        inside {
            gsub(/\\-/, "-")
            gsub(/\\&/, "")
            gsub(/\\\(aq/, "\047")
            gsub(/\\\(dq/, "\"")
            gsub(/\\\(ga/, "`")
            gsub(/\\\(ti/, "~")
            gsub(/\\\(ha/, "^")
            gsub(/\\e|\\\(rs|\\\\/, "\\")
            print > (folder "/" n ".block")
        }
        within && /^\.EX/ { inside = 1; n++ }' "$1"
    ls "$work"/*.block
}

# Sets $examples to the folder of the examples that were built.  libtool puts
# scripts, slow ones, before programs that need the shared library: they are
# passed by.
find_examples()
{
    examples=$build/examples
    for program in hello saxpy mandelbrot median heat spmv queens sort hash-tree \
        mkpicture mkmatrix; do
        [ -x "$examples/$program" ] || skip_all "examples/$program is not built"
    done
    if grep 'temporary wrapper script' "$examples/hello" > /dev/null; then
        examples=$examples/.libs
        LD_LIBRARY_PATH=$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    fi
    case $SANITIZER_FLAGS in
    *thread*)
        if have_openmp; then
            skip_all "to ThreadSanitizer OpenMP's loops are races"
        fi ;;
    esac
    # OpenMP's threads shall not spin where others need the CPUs
    OMP_WAIT_POLICY=passive
    export OMP_WAIT_POLICY
}

# Do the examples have OpenMP twins?
have_openmp()
{
    grep '^OPENMP_FLAGS = ..*' "$build/Makefile" > /dev/null
}

# Do the examples write PNG?  Without libpng it is always PPM.
have_png()
{
    grep '^[^#]*= *-DHAVE_LIBPNG' "$build/Makefile" > /dev/null
}

# Each of the texts stands in the file; says which does not.
has() # FILE TEXT...
{
    file=$1
    shift
    for text; do
        grep -F -e "$text" "$file" > /dev/null && continue
        echo "no '$text' in $file"
        return 1
    done
}
