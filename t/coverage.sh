#!/bin/sh
# coverage.sh - make coverage: which lines and branches of lib/ the tests reach.
#
# SPDX-License-Identifier: MIT
#
#   coverage.sh FOLDER     FOLDER is a copy of the sources; it is built here
#
# What is not reached must stand in t/coverage.txt with its reason, and what
# stands there must not be reached: else this fails.
#
# The build.  gcc, as gcov reads what gcc writes.  -O0: a branch is one that the
# source has, and none that inlining made of it.  --enable-debug: a superset of
# what ships, in which the code behind check() is called, too.  --disable-static:
# each file is compiled once (libtool's other object would have no counts).
#
# Counted is what the library's own objects did, and t/protocol.c and t/slot.c:
# these include range.c and slot.c as they are, to take them step by step.
#
# What is not counted, of what gcov calls branches:
#   throw branches   -fexceptions gives every call a second way out, by unwinding.
#                    Bodies alone may try that, and t/leave.c and t/exception.cc
#                    see what becomes of it.
#   check()          its other way is a mistake of ours, that no test can make.
set -u
cd "$1" || exit 1
: "${MAKE=make}" "${AWK=awk}"

for tool in gcc gcov gcovr; do
    command -v $tool > /dev/null && continue
    echo "make coverage: no $tool here (Debian: apt-get install gcc gcovr)" >&2
    exit 1
done

# Programs that may not write what they counted (another user, no file system)
# say so here and not on stderr, which tests read.
GCOV_ERROR_FILE=$PWD/gcov-errors
export GCOV_ERROR_FILE
umask 0 # whoever a test becomes, it may write

{ ./configure -q --enable-coverage --enable-debug --disable-static CC=gcc \
    CXX=g++ CFLAGS='-O0 -g' CXXFLAGS='-O0 -g' && $MAKE; } > build.log 2>&1 || {
    tail -n 20 build.log
    echo "make coverage: the build failed: $1/build.log" >&2
    exit 1
}
status=0
$MAKE check > check.log 2>&1 || {
    grep -E '^(FAIL|ERROR)' check.log
    echo "make coverage: tests failed: $1/check.log" >&2
    status=1
}
find t -name '*.gc??' ! -name '*-protocol.*' ! -name '*-slot.*' \
    -exec rm {} +
gcovr --root . --filter lib/ --exclude-throw-branches \
    --exclude-branches-by-pattern '^ *check\(' --sonarqube coverage.xml lib t ||
    exit 1

# One element a line, then: file, line, covered?, branches, covered branches.
sed 's/</\
</g' coverage.xml | $AWK -v list=t/coverage.txt '
function value(name) {
    return match($0, name "=\"[^\"]*\"") ? \
        substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3) : ""
}
function complain(words) {
    print words
    bad = 1
}
# "file:count: text", and the reason in indented lines below
function read_list(   key, n) {
    while ((getline < list) > 0) {
        if (/^#/ || /^$/)
            continue
        if (/^ /) {
            reason[key] = 1
            continue
        }
        n = $0
        sub(/^[^:]*:/, "", n)
        sub(/:.*/, "", n)
        key = $0
        sub(/:[0-9]+: /, ": ", key)
        listed[key] += n
    }
    for (key in listed)
        if (!(key in reason))
            complain("no reason: " key)
}
BEGIN { read_list() }
/<file / {
    file = value("path")
    for (n = 0; (getline text[++n] < file) > 0;)
        ;
    close(file)
}
/<lineToCover/ {
    at = value("lineNumber")
    all = value("branchesToCover") + 0
    reached = value("coveredBranches") + 0
    lines++
    lines_reached += value("covered") == "true"
    branches += all
    branches_reached += reached
    n = all ? all - reached : value("covered") != "true"
    if (n) {
        key = text[at]
        sub(/^ +/, "", key)
        key = file ": " key
        missing[key] += n
        where[key] = where[key] " " at
    }
}
END {
    for (key in missing)
        if (missing[key] > listed[key])
            complain("not reached, not listed (" missing[key] - listed[key] \
                ", line" where[key] "): " key)
    for (key in listed) {
        excused += listed[key]
        if (missing[key] < listed[key])
            complain("listed, but reached (" listed[key] - missing[key] \
                "): " key)
    }
    printf "lib/: %d of %d lines, %.1f%%; %d of %d branches, %.1f%%; " \
        "not reached, with a reason: %d\n", lines_reached, lines,
        100 * lines_reached / lines, branches_reached, branches,
        100 * branches_reached / branches, excused
    exit bad
}' > coverage.out || status=1
grep -v '^lib/: ' coverage.out | sort
grep '^lib/: ' coverage.out
[ $status = 0 ] || echo "make coverage: not as t/coverage.txt says" >&2
exit $status
