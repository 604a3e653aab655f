#!/bin/sh
# check.sh - make check-numa: the tests of this folder on emulated machines, as TAP.
#
# SPDX-License-Identifier: MIT
#
#   check.sh FOLDER [MACHINE...]     the test programs are in FOLDER; all machines of
#                                    the table, or these
#
# A machine is booted once, and everything runs there, first with all of its CPUs, then
# within each cut of the table.
. "${top_srcdir=.}/t/support/tap.sh"
folder=$1
shift
here=$source/t/numa
programs=$(cd "$folder" && ls ./*.t | sed 's,^\./,,')

for program in qemu-system-x86_64 busybox timeout gzip ldd; do
    command -v $program > /dev/null ||
        skip_all "$program is not here (./bootstrap --numa-tests)"
done
[ "$(uname -m)" = x86_64 ] || skip_all "the machines are x86-64, and this one is not"
! ldd "$(command -v busybox)" > /dev/null 2>&1 ||
    skip_all "busybox is not static (Debian: busybox-static)"
kernel=$(sh "$here/kernel.sh") || skip_all "no kernel is here (./bootstrap --numa-tests)"
[ -z "$SANITIZER_FLAGS" ] || skip_all "not in a build with $SANITIZER_FLAGS"
grep '^#define HAVE_LIBNUMA 1' "$build/config.h" > /dev/null ||
    skip_all "built without libnuma"

# The script for a machine with these cuts; functions of busybox's shell.
write_script()
{
    cat << 'END'
export TWEED_TEST_MACHINE=/t/machine
run() # WORDS COMMAND...
{
    words=$1 began=$(date +%s)
    echo "=== $words"
    shift
    "$@"
    echo "=== status $?"
    seconds=$(($(date +%s) - began))
    [ $seconds -lt 10 ] || echo "# $words: $seconds s"
}

affinity() # CPUS PROGRAM
{
    run "${2%.t} on CPUs $1" env TWEED_TEST_CPUS=$1 taskset -c $1 ./$2
}

# A cpuset of its own, entered by the shell that becomes the program.
cpuset() # CPUS NODES PROGRAM
{
    group=/tmp/cgroup/cut
    if [ ! -d $group ]; then
        mount -t cgroup2 cgroup2 /tmp/cgroup
        echo +cpuset > /tmp/cgroup/cgroup.subtree_control
        mkdir $group
    fi
    echo $1 > $group/cpuset.cpus
    echo $2 > $group/cpuset.mems
    run "${3%.t} in a cpuset of CPUs $1 and nodes $2" env TWEED_TEST_CPUS=$1 \
        TWEED_TEST_NODES=$2 sh -c "echo \$\$ > $group/cgroup.procs && exec ./$3"
}
END
    for program in $programs; do
        echo "run ${program%.t} ./$program"
    done
    for cut; do
        for program in $programs; do
            case $cut in
                *:*) echo "cpuset ${cut%:*} ${cut#*:} $program" ;;
                *) echo "affinity $cut $program" ;;
            esac
        done
    done
}

tests=0 failures=0
machine() # NAME NODES THREADS DISTANCES CUTS...
{
    name=$1 nodes=$(echo "$2" | tr + ' ') threads=$3 distances=$4
    shift 4
    write_script "$@" > "$work/script"
    echo "# $name: $nodes, $threads a core, distances $distances"
    (cd "$folder" && nice -n 10 sh "$here/boot.sh" "$nodes" "$threads" "$distances" \
        "$work/script" "$work/result" $programs) > "$work/log" 2>&1
    status=$?
    awk -v machine="$name" -v number=$tests -f "$here/tap.awk" "$work/result" \
        > "$work/tap"
    sed '$d' "$work/tap"
    read -r tests failed << END
$(sed -n '$s/^total //p' "$work/tap")
END
    failures=$((failures + failed))
    [ $status -eq 0 ] && return
    tests=$((tests + 1)) failures=$((failures + 1))
    echo "not ok $tests - $name: the machine came to its end (status $status)"
    sed 's/^/# /' "$work/log"
}

while read -r name rest; do
    case $name in '#'* | '') continue ;; esac
    case " ${*:-$name} " in
        *" $name "*)
            began=$(date +%s)
            # its words are the arguments
            machine "$name" $rest
            echo "# $name: $(($(date +%s) - began)) s"
            ;;
    esac
done < "$here/machines"
echo "1..$tests"
[ "$failures" -eq 0 ] && [ "$tests" -gt 0 ]
