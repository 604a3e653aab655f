# machine.awk - from the words of boot.sh: the machine, for QEMU and for the tests.
#
# SPDX-License-Identifier: MIT
#
# Reads a line a node, [NUMBER*]CPUS/MIB.  Writes for machine.h, and to the file `options`
# for QEMU, one a line.

BEGIN { num_nodes = num_cpus = total = first = failed = 0 }

function fail(what)
{
    print "machine.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}

/^([0-9]+\*)?[0-9]+\/[0-9]+$/ {
    n = 1
    if (index($0, "*")) {
        n = $0 + 0
        sub(/.*\*/, "")
    }
    for (split($0, part, "/"); n > 0; n--) {
        cpus[num_nodes] = part[1] + 0
        mib[num_nodes] = part[2] + 0
        num_nodes++
    }
    next
}

{ fail("not a node: " $0) }

END {
    if (failed)
        exit 1
    even = 1
    for (i = 0; i < num_nodes; i++) {
        if (cpus[i] % threads)
            fail("node " i ": no whole cores")
        if (cpus[i] && i && !cpus[i - 1]) # Linux numbers those last in any case
            fail("nodes without CPUs come last")
        num_cpus += cpus[i]
        total += mib[i]
        even = even && (cpus[i] == cpus[0] || !cpus[i])
        with_cpus += cpus[i] > 0
    }
    # Where the nodes are alike each is a socket; else each core is one.
    sockets = even ? with_cpus : num_cpus / threads
    print "-smp" > options
    print num_cpus ",sockets=" sockets ",cores=" num_cpus / threads / sockets \
        ",threads=" threads > options
    print "-m\n" total "M" > options
    for (i = 0; i < num_nodes; i++) {
        node = "node,nodeid=" i
        if (mib[i]) {
            print "-object\nmemory-backend-ram,id=m" i ",size=" mib[i] "M" > options
            node = node ",memdev=m" i
        }
        if (cpus[i])
            node = node ",cpus=" first "-" first + cpus[i] - 1
        print "-numa\n" node > options
        print "node", i, mib[i]
        for (c = 0; c < cpus[i]; c++)
            print "cpu", first + c, i, int((first + c) / threads)
        first += cpus[i]
    }
    if (rows == "-")
        for (i = 0; i < num_nodes * num_nodes; i++)
            rows = (i ? rows "," : "") (i % (num_nodes + 1) ? 20 : 10)
    if (split(rows, d, /[,;]/) != num_nodes * num_nodes)
        fail("not " num_nodes " rows of as many distances: " rows)
    for (i = 0; i < num_nodes; i++)
        for (j = 0; j < num_nodes; j++) {
            print "distance", i, j, d[i * num_nodes + j + 1]
            if (num_nodes > 1)
                print "-numa\ndist,src=" i ",dst=" j ",val=" d[i * num_nodes + j + 1] \
                    > options
        }
}
