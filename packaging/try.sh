#!/bin/sh
# try.sh - Debian packages are built, looked at by lintian, installed, used, and removed again;
# as root, in the folder of a configured build.  And rpm reads its spec, if it is there.
#
# SPDX-License-Identifier: MIT
set -eu
lintian_flags='--allow-root --display-info --pedantic --fail-on=error,warning'

DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" make deb
lintian $lintian_flags deb/*.changes
packages=$(for deb in deb/*.deb; do dpkg-deb --field "$deb" Package; done)
trap 'exit 1' HUP INT TERM
trap 'DEBIAN_FRONTEND=noninteractive dpkg --purge $packages > /dev/null' EXIT
dpkg --install deb/*.deb
(cd deb/tweed-*/ && sh debian/tests/projects && sh debian/tests/tools)
if command -v rpmspec > /dev/null; then
    rpmspec --query packaging/tweed.spec
    echo "ok - rpm reads tweed.spec"
else
    echo "ok - rpm reads tweed.spec # SKIP no rpmspec"
fi
