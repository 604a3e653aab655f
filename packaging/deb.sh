#!/bin/sh
# deb.sh - Debian packages of a tarball: deb.sh tweed-VERSION.tar.gz FOLDER [OPTION...]
#
# SPDX-License-Identifier: MIT
#
# Unpacks the tarball in the folder, puts debian/ into it, and calls dpkg-buildpackage with the
# options.  The packages are in the folder then.  DEBFULLNAME and DEBEMAIL, if both are set,
# name their maintainer.
set -eu
tarball=$1 folder=$2
shift 2
name=$(basename "$tarball" .tar.gz)
version=${name#tweed-}

if ! command -v dpkg-buildpackage > /dev/null; then
    echo "make deb: no dpkg-buildpackage; as root: apt-get build-dep ./packaging" >&2
    exit 1
fi
rm -rf "$folder"
mkdir "$folder"
cp "$tarball" "$folder/tweed_$version.orig.tar.gz"
tar -xzf "$tarball" -C "$folder"
cd "$folder/$name"
cp -R packaging/debian debian
chmod +x debian/rules debian/tests/projects
if [ -n "${DEBFULLNAME-}" ] && [ -n "${DEBEMAIL-}" ]; then
    sed -i "s|tweed developers <.*>|$DEBFULLNAME <$DEBEMAIL>|" debian/control debian/changelog
fi
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS
exec dpkg-buildpackage "$@"
