# compilers.sh - programs by each compiler of the matrix, of users who ask for warnings;
# read by tests written in sh, after tap.sh.  It goes to $work.
#
# SPDX-License-Identifier: MIT
cd "$work" || exit 99
include=-I$source/include
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wsign-conversion
    -Wcast-qual -Wcast-align -Wmissing-declarations -Wredundant-decls -Wpointer-arith
    -Wwrite-strings -Wunused -Werror'
c_warnings='-Wstrict-prototypes -Wmissing-prototypes'
cxx_warnings='-Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi'

have() # COMPILER LANGUAGE: it compiles and links that
{
    case $2 in
    c) standard=c11 ;;
    *) standard=c++11 ;;
    esac
    echo 'int main(void) { return 0; }' > have.c
    # shellcheck disable=SC2086
    $1 -std=$standard -x "$2" have.c -o have > /dev/null 2>&1
}

c_compilers=
cxx_compilers=
for compiler in "$CC" $(c_matrix); do
    case " $c_compilers " in *" $compiler "*) continue ;; esac
    have "$compiler" c && c_compilers="$c_compilers $compiler"
done
for compiler in "$CXX" $(cxx_matrix); do
    case " $cxx_compilers " in *" $compiler "*) continue ;; esac
    have "$compiler" c++ && cxx_compilers="$cxx_compilers $compiler"
done
echo "# C:$c_compilers; C++:$cxx_compilers"

# each_c COMMAND...: COMMAND... COMPILER succeeds with all of them
each_c()
{
    for each in $c_compilers; do
        "$@" "$each" || { echo "this was with $each"; return 1; }
    done
}

each_cxx()
{
    for each in $cxx_compilers; do
        "$@" "$each" || { echo "this was with $each"; return 1; }
    done
}

# compiles silently: FLAGS FILE COMPILER
silent()
{
    case $1 in
    *-fsyntax-only*) made= ;; # clang 22 warns of a -c that does nothing
    *) made='-c -o silent.o' ;;
    esac
    # shellcheck disable=SC2086
    $3 $1 $include $made "$2" > silent.log 2>&1
    status=$?
    cat silent.log
    [ $status -eq 0 ] && is_empty silent.log
}

# built with: FLAGS FILES COMPILER: and run
runs()
{
    # shellcheck disable=SC2046,SC2086
    $3 $SANITIZER_FLAGS $1 $include $2 -o program $(link_with_any) -pthread &&
        ./program
}

# Of a library with a sanitizer inside programs are linked by its own compiler.
each_of_ours() # c or cxx, COMMAND...
{
    language=$1
    shift
    case $SANITIZER_FLAGS,$language in
    ,c) each_c "$@" ;;
    ,cxx) each_cxx "$@" ;;
    *,c) "$@" "$CC" ;;
    *,cxx) "$@" "$CXX" ;;
    esac
}

# reported: LINE FILE COMPILER: an error, and the first one on that line
reported()
{
    # shellcheck disable=SC2086
    if $3 -Werror $include -c "$2" -o reported.o > reported.log 2>&1; then
        echo "no error: $2"
        return 1
    fi
    cat reported.log
    grep -E '(error|warning): ' reported.log | head -n 1 |
        grep "^$2:$1:" > /dev/null
}
