#!/bin/sh
# boot.sh - boots Linux on an emulated machine of several nodes, and runs a script there.
#
# SPDX-License-Identifier: MIT
#
#   boot.sh NODES THREADS DISTANCES SCRIPT RESULT FILE...
#
#   NODES      a word a node, or for several alike: [NUMBER*]CPUS/MIB.  "2*4/128 0/64":
#              two of four CPUs, and one of memory only.  MIB 0: a node without memory;
#              not the first one
#   THREADS    hardware threads of each core
#   DISTANCES  "10,20;30,10", a row from each node, which may be asymmetric; "-": 10 and 20
#   SCRIPT     for sh.  The files are in /t, busybox's commands in PATH, the machine's
#              description in /t/machine (machine.h reads it)
#   RESULT     receives what the script writes
#
# Status 0: the script has come to its end.  124: it was not over after TWEED_VM_SECONDS
# (300).  1: something is missing or went wrong; what the kernel said is shown.
#
# The CPUs take turns on one thread of the host.  A turn is over when its CPU halts or
# pauses, so CPUs that wait for each other cost little.  Nothing runs at the same time:
# this is for where things are, and not for the order of memory.
set -u
[ $# -ge 5 ] || {
    sed -n 's/^#   boot.sh/usage: boot.sh/p' "$0" >&2
    exit 1
}
nodes=$1 threads=$2 distances=$3 script=$4 result=$5
shift 5
work=$(mktemp -d "${TMPDIR:-/tmp}/tweed-boot.XXXXXX") || exit 1
qemu=
trap '[ -z "$qemu" ] || kill "$qemu" 2> /dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
here=$(cd "$(dirname "$0")" && pwd)
kernel=$(sh "$here/kernel.sh") || exit 1

# The machine: $work/machine for the tests, $work/options for QEMU, one a line.
echo "$nodes" | tr ' ' '\n' |
    awk -v threads="$threads" -v rows="$distances" \
        -v options="$work/options" -f "$here/machine.awk" > "$work/machine" || exit 1

# What it boots from: busybox, the files, and the libraries these need.
root=$work/root
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/t" "$root/tmp"
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$work/machine" "$script" "$@" "$root/t" || exit 1
for file; do
    ldd "$file" 2> /dev/null
done | sed -n 's,^[^/]*\(/[^ ]*\) (0x.*,\1,p' | sort -u > "$work/libraries"
# glibc opens this one when a thread ends
[ ! -s "$work/libraries" ] || ldconfig -p | sed -n 's/.*libgcc_s\.so\.1.*x86-64.*=> //p' |
    head -n 1 >> "$work/libraries"
while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library" || exit 1
done < "$work/libraries"
cat > "$root/init" << END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm /tmp/cgroup
mount -t tmpfs tmpfs /dev/shm
stty raw -F /dev/ttyS1
cd /t
sh ./${script##*/} < /dev/null > /dev/ttyS1 2>&1
echo over > /dev/ttyS1
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc -R 0:0 2> /dev/null) | gzip -1 > "$work/initrd"

# Without a firmware that looks for disks, where there is one.
for bios in /usr/share/qemu/qboot.rom /usr/share/seabios/qboot.rom; do
    [ -f $bios ] && printf '%s\n' -bios $bios >> "$work/options" && break
done
while read -r option; do
    set -- "$@" "$option"
done < "$work/options"
while [ "$1" != -smp ]; do # the files are in there
    shift
done
# Hyper-threads are shown to the kernel by the model of another maker only, and five
# levels of page tables only take time.
timeout -k 5 "${TWEED_VM_SECONDS:-300}" qemu-system-x86_64 \
    -accel tcg,thread=single -M q35 -cpu max,vendor=GenuineIntel,la57=off \
    -nodefaults -no-user-config -display none -no-reboot \
    -serial "file:$work/console" -serial "file:$work/result" \
    -kernel "$kernel" -initrd "$work/initrd" -append "console=ttyS0 quiet loglevel=4 \
panic=-1 nokaslr mitigations=off tsc=reliable lpj=4000000 cryptomgr.notests audit=0 \
numa_balancing=disable transparent_hugepage=never" "$@" < /dev/null > "$work/qemu" 2>&1 &
qemu=$!
wait $qemu
status=$?
qemu=
tr -d '\r' < "$work/result" | sed '/^over$/d' > "$result"
tr -d '\r' < "$work/result" | grep -x over > /dev/null && exit 0
tail -n 20 "$work/qemu" "$work/console" >&2
[ $status = 124 ] && exit 124
exit 1
