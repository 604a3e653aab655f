#!/bin/sh
# set-version.sh - the version of the next release, wherever it stands: set-version.sh 1.0.1
#
# SPDX-License-Identifier: MIT
#
# configure.ac has the version of today.  What says in which version something came is left:
# NEWS but for its first heading, and Debian's symbols.  t/install/documents.sh compares.
set -eu
cd "$(dirname "$0")/.."
new=${1-}
old=$(sed -n 's/^AC_INIT(\[tweed\], \[\([^]]*\)\].*/\1/p' configure.ac)
case $new in
*.*.*.* | *[!0-9.]* | .* | *. | *..*) words= ;;
*.*.*) words=$(echo "$new" | tr . ' ') ;;
*) words= ;;
esac
if [ -z "$words" ] || [ -z "$old" ]; then
    echo "usage: sh packaging/set-version.sh 1.0.1" >&2
    exit 2
fi
from=$(echo "$old" | sed 's/\./\\./g')

sed -i "s/^AC_INIT(\[tweed\], \[$from\]/AC_INIT([tweed], [$new]/" configure.ac
sed -i "s/^\(\.TH .*\"tweed \)$from\"/\1$new\"/" doc/*.[137] doc/*.[137].in
sed -i "s/^\(    tweed \)$from/\1$new/" doc/debugging.md doc/machines.md
# shellcheck disable=SC2086
set -- $words
sed -i "s/^\(#define TWEED_VERSION_MAJOR \).*/\1$1/
    s/^\(#define TWEED_VERSION_MINOR \).*/\1$2/
    s/^\(#define TWEED_VERSION_PATCH \).*/\1$3/
    s/\"$from\"/\"$new\"/" include/tweed.h
sed -i "s/^version: $from\$/version: $new/" CITATION.cff
sed -i "3s/^$from /$new /" NEWS
sed -i "s/^tweed ($from-/tweed ($new-/" packaging/debian/changelog
sed -i "s/$from/$new/" packaging/tweed.spec packaging/meson/meson.build packaging/meson/tweed.wrap
