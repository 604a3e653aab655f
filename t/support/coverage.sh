#!/bin/sh
# coverage.sh - make coverage: which lines and branches of lib/ the tests reach.
#
# SPDX-License-Identifier: MIT
#
#   coverage.sh FOLDER     FOLDER is a copy of the sources; it is built here
#
# Prints each line that is not reached, or not in all its branches, and the sums.  Fails
# if a test does.
#
# The build.  gcc, as gcov reads what gcc writes.  -O0: a branch is one that the
# source has, and none that inlining made of it.  --enable-debug: a superset of
# what ships, in which the code behind check() is called, too.  --disable-static:
# each file is compiled once (libtool's other object would have no counts).
#
# Counted is what the library's own objects did, and those of t/unit/protocol.c and cut.c: they include
# range.c as it is, to take it step by step.
#
# What is not counted, of what gcov calls branches:
#   throw branches   -fexceptions gives every call a second way out, by unwinding.
#                    Bodies alone may try that, and t/process/leave.c and
#                    t/process/exception.cc see what becomes of it.
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
# What gcov itself does (files, memory, fork) stands in the way of a few tests.
TWEED_TEST_COVERAGE=1
export GCOV_ERROR_FILE TWEED_TEST_COVERAGE
umask 0 # whoever a test becomes, it may write

{ ./configure -q --enable-coverage --enable-debug --disable-static CC=gcc \
    CXX=g++ CFLAGS='-O0 -g' CXXFLAGS='-O0 -g' && $MAKE; } > build.log 2>&1 || {
    tail -n 20 build.log
    echo "make coverage: the build failed: $1/build.log" >&2
    exit 1
}
status=0
TWEED_TEST_LONG=yes $MAKE check > check.log 2>&1 || {
    grep -E '^(FAIL|ERROR)' check.log
    echo "make coverage: tests failed: $1/check.log" >&2
    status=1
}
find t -name '*.gc??' ! -name 'protocol.*' ! -name 'cut.*' -exec rm {} +
# gcov counts some of the branches and concludes the others, by what must have come
# in and gone out.  A process that ends while others of its threads are on their way
# makes that wrong by one: less than never is never.
cat > gcov-corrected << 'END'
#!/bin/sh
gcov "$@" || exit
for file in *.gcov; do
    [ ! -f "$file" ] || sed -i 's/ taken -[0-9]*/ taken 0/' "$file"
done
END
chmod +x gcov-corrected
gcovr --gcov-executable "$PWD/gcov-corrected" --root . --filter lib/ --exclude-throw-branches \
    --exclude-branches-by-pattern '^ *check\(' --sonarqube coverage.xml lib t ||
    exit 1

# One element a line, then: file, line, covered?, branches, covered branches.
sed 's/</\
</g' coverage.xml | $AWK '
function value(name) {
    return match($0, name "=\"[^\"]*\"") ? \
        substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3) : ""
}
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
        sub(/^ +/, "", text[at])
        print file ":" at ": " (all ? n " of " all " branches: " : "") text[at]
    }
}
END {
    printf "lib/: %d of %d lines, %.1f%%; %d of %d branches, %.1f%%\n", lines_reached,
        lines, 100 * lines_reached / lines, branches_reached, branches,
        100 * branches_reached / branches
}'
exit $status
