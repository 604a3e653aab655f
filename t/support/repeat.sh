#!/bin/sh
# repeat.sh - make check-repeat: make check, again and again.
#
# SPDX-License-Identifier: MIT
#
#   repeat.sh RUNS     in the folder of the build
#
# Stops at the first run that is not all right, and keeps its log.
set -u
: "${MAKE=make}"
case $1 in
'' | *[!0-9]* | 0*)
    echo "make check-repeat: RUNS=$1 is not a number of runs" >&2
    exit 2 ;;
esac

run=0
while [ "$run" -lt "$1" ]; do
    if ! $MAKE check > check-repeat.log 2>&1; then
        grep -E '^(FAIL|ERROR)' check-repeat.log
        echo "$run consecutive full runs, then a flake: check-repeat.log," \
            "test-suite.log"
        exit 1
    fi
    run=$((run + 1))
    echo "run $run: $(sed -n 's/^# PASS: *//p' check-repeat.log) passed," \
        "$(sed -n 's/^# SKIP: *//p' check-repeat.log) skipped"
done
rm -f check-repeat.log
echo "$run consecutive full runs, 0 flakes"
