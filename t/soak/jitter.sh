#!/bin/sh
# jitter.sh - make soak-jitter: the soak where threads stop before atomic operations.
#
# SPDX-License-Identifier: MIT
#
#   jitter.sh FOLDER SECONDS [SEED]     FOLDER is a copy of the sources; it is built here
#
# Two builds with --enable-jitter, one under AddressSanitizer and UBSan, the other under
# ThreadSanitizer; of each the library and the soak alone.  Both soaks run at the same time:
# threads that wait for a CPU are late as well.  The first report of a sanitizer ends a run.
set -u
cd "$1" || exit 1
: "${MAKE=make}"

# build NAME OPTIONS
build()
{
    name=$1
    shift
    mkdir -p "$name" && (cd "$name" && ../configure -q --enable-jitter --enable-debug \
        --disable-static "$@" && $MAKE t/soak/soak) > "$name.log" 2>&1 && return
    tail -n 20 "$name.log"
    echo "make soak-jitter: the build failed: $PWD/$name.log" >&2
    exit 1
}

build address --enable-sanitizer=address,undefined
build thread --enable-sanitizer=thread --without-numa --without-png --without-openmp
ASAN_OPTIONS=${ASAN_OPTIONS-} TSAN_OPTIONS="${TSAN_OPTIONS-} halt_on_error=1"
UBSAN_OPTIONS="${UBSAN_OPTIONS-} halt_on_error=1"
TWEED_JITTER_SEED=${3:-1}
export ASAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS TWEED_JITTER_SEED
thread/t/soak/soak "$2" "${3:-}" > thread.out 2>&1 &
pid=$!
address/t/soak/soak "$2" "${3:-}" > address.out 2>&1
address=$?
wait $pid
thread=$?

for name in address thread; do
    eval "status=\$$name"
    [ "$status" = 0 ] && echo "ok $name: $(tail -n 1 $name.out)" && continue
    echo "not ok $name: exit status $status, $PWD/$name.out:"
    grep -E 'WRONG|ERROR: |WARNING: Thread|SUMMARY|runtime error' "$name.out" | head -n 20
    sed -n '/HANGS/,$p' "$name.out" | head -n 100 # where each thread is
done
[ "$address" = 0 ] && [ "$thread" = 0 ]
