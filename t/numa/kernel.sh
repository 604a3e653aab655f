#!/bin/sh
# kernel.sh - the Linux kernel that the emulated machines boot.
#
# SPDX-License-Identifier: MIT
#
#   kernel.sh        prints the path of one; status 1 if there is none
#   kernel.sh get    fetches one before, if there is none: Debian's package, which is
#                    unpacked and not installed
#
# TWEED_KERNEL names another one, a bzImage or a vmlinux.  What was fetched is kept in
# TWEED_KERNEL_DIR, or else below the user's cache.
set -u
folder=${TWEED_KERNEL_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tweed/kernel}

# The package for virtual machines that the newest one of its kind depends on.
package()
{
    apt-cache depends linux-image-cloud-amd64 2> /dev/null |
        sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1
}

# An image that was packed by lz4 is unpacked here, in a moment; an emulated CPU takes
# seconds.  The packed part begins with lz4's magic number, which may also be anywhere.
unpack() # IMAGE TO
{
    command -v lz4 > /dev/null || return 1
    for offset in $(LC_ALL=C grep -abo "$(printf '\002\041\114\030')" "$1" |
        cut -d: -f1); do
        tail -c +$((offset + 1)) "$1" | lz4 -dcq > "$2" 2> /dev/null
        [ "$(dd if="$2" bs=1 skip=1 count=3 2> /dev/null)" = ELF ] && return
    done
    rm -f "$2"
    return 1
}

fetch()
{
    name=$(package)
    if [ -z "$name" ]; then
        echo "kernel.sh: apt knows no linux-image-cloud-amd64" >&2
        return 1
    fi
    # as root apt would change to a user that cannot write here, and say so
    (cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "$name" &&
        dpkg -x "$name"_*.deb root) >&2 || return 1
    mkdir -p "$folder" || return 1
    unpack "$work"/root/boot/vmlinuz-* "$work/image" ||
        cp "$work"/root/boot/vmlinuz-* "$work/image" || return 1
    cp "$work/image" "$folder/new.$$" && mv "$folder/new.$$" "$folder/image"
}

if [ -n "${TWEED_KERNEL:-}" ]; then
    image=$TWEED_KERNEL
else
    image=$folder/image
    if [ ! -s "$image" ] && [ "${1:-}" = get ]; then
        work=$(mktemp -d "${TMPDIR:-/tmp}/tweed-kernel.XXXXXX") || exit 1
        trap 'rm -rf "$work"' EXIT
        trap 'exit 1' HUP INT TERM
        fetch || exit 1
    fi
fi
[ -s "$image" ] && echo "$image"
