#!/bin/sh
# fuzz.sh - make fuzz: builds the fuzzers by clang, and runs each for some time.
#
# SPDX-License-Identifier: MIT
#
#   fuzz.sh SOURCE SECONDS NAME...      from the folder of the build; 0 seconds: builds only
#
# Each fuzzer is fuzz-tree/fuzz-NAME.  It begins with the corpus of the source, which is not
# changed, and keeps what it finds in fuzz-tree/NAME.  What breaks is fuzz-tree/NAME-crash-*.
# "fuzz.sh SOURCE merge NAME..." makes the corpus of the source anew, of what both folders have,
# without inputs that reach nothing new.
set -u
source=$(cd "$1" && pwd) what=$2
shift 2
: "${CLANG=clang}" "${FUZZ_CFLAGS=}" "${FUZZ_LIBS=}"
tree=fuzz-tree
flags="-std=gnu11 -O1 -g -pthread -fno-omit-frame-pointer -w -fsanitize=address,undefined
-fno-sanitize-recover=undefined -I. -I$source/include -I$source/lib -I$source/t/support
-I$source/t $FUZZ_CFLAGS"
mkdir -p $tree/objects || exit 1

compile()
{
    $CLANG $flags -fsanitize=fuzzer-no-link -c "$1" -o "$2" && return
    echo "fuzz.sh: $CLANG cannot compile $1" >&2
    exit 1
}

# The library once; a fuzzer includes the sources that it looks at, and these come first.
library()
{
    [ -e $tree/library.a ] && [ -z "$(find "$source/lib" -name '*.[ch]' -newer $tree/library.a)" ] &&
        return
    for file in "$source"/lib/*/*.c; do
        object=${file#"$source"/lib/}
        compile "$file" "$tree/objects/$(echo "${object%.c}" | tr / -).o" || exit 1
    done
    rm -f $tree/library.a
    ar rc $tree/library.a $tree/objects/*.o
}

# build NAME
build()
{
    case $1 in
    picture) more="$source/examples/output.c $source/examples/program.c" ;;
    trace) more=$source/tools/picture.c ;;
    *) more= ;;
    esac
    $CLANG $flags -fsanitize=fuzzer "$source/t/fuzz/$1.c" $more $tree/library.a $FUZZ_LIBS \
        -o "$tree/fuzz-$1" && return
    echo "fuzz.sh: no fuzzer for $1" >&2
    exit 1
}

# run NAME: half a line of what came out
run()
{
    corpus=$source/t/fuzz/corpus/$1
    mkdir -p "$tree/$1"
    words=
    [ -e "$source/t/fuzz/$1.dict" ] && words=-dict=$source/t/fuzz/$1.dict
    "$tree/fuzz-$1" -max_total_time="$what" -timeout=10 -rss_limit_mb=1024 \
        -close_fd_mask=2 -print_final_stats=1 -artifact_prefix="$tree/$1-" $words \
        "$tree/$1" "$corpus" \
        > "$tree/$1.log" 2>&1
    status=$?
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$tree/$1.log")
    if [ $status = 0 ]; then
        echo "ok $1: $executed inputs, $(ls "$tree/$1" | wc -l) kept"
    else
        echo "not ok $1: exit status $status, $PWD/$tree/$1.log:"
        grep -E 'ERROR: |SUMMARY|runtime error|Test unit written' "$tree/$1.log" | head -n 20
    fi
    return $status
}

# merge NAME
merge()
{
    corpus=$source/t/fuzz/corpus/$1
    mkdir -p "$tree/$1" "$tree/$1-merged" &&
        "$tree/fuzz-$1" -merge=1 -timeout=10 -rss_limit_mb=1024 -close_fd_mask=2 \
            "$tree/$1-merged" "$corpus" "$tree/$1" > "$tree/$1.log" 2>&1 &&
        ls "$tree/$1-merged" | wc -l
}

if [ "$what" = merge ]; then
    for name; do
        echo "$name: $(merge "$name") inputs, in $tree/$name-merged"
    done
    exit
fi
library
for name; do
    build "$name"
done
[ "$what" = 0 ] && exit
failed=0
for name; do
    run "$name" || failed=1
done
exit $failed
