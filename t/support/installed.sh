# installed.sh - installs into a folder, for the tests that use what is installed; read
# by them, after tap.sh.
#
# SPDX-License-Identifier: MIT
#
# $dest is the folder; find_installed() sets $pc, $header, $libdir and $includedir.

${PKG_CONFIG:=pkg-config} --version > /dev/null 2>&1 ||
    skip_all "no pkg-config"

dest=$work/dest
mkdir "$dest" || exit 99

install() # or, with this argument, uninstall
{
    # neither the jobs nor the options of the make that runs this test
    unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS DESTDIR
    # one test at a time: libtool links libtweed-mpi anew, in the folder of the build
    (
        command -v flock > /dev/null && flock 9
        $MAKE -C "$build" "${1-install}" DESTDIR="$dest"
    ) 9< "$build/config.status"
}

# Where make put things: found, not assumed.
find_installed()
{
    pc=$(find "$dest" -name tweed.pc)
    header=$(find "$dest" -name tweed.h)
    [ -f "$pc" ] && [ -f "$header" ] || return 1
    libdir=$(dirname "$(dirname "$pc")")
    includedir=$(dirname "$header")
}
