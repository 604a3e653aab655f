/*
 * tree.c - machines as hwloc describes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * For machines that are not at hand.  The one at hand is read by topology.c, in every
 * build: hwloc reads the same files of the kernel.
 */
#include "config.h"

#include "tree.h"
#include "options.h"
#include "range.h"

#include <stdlib.h>
#include <string.h>

#if !HAVE_HWLOC
struct tweed__topology *tweed__tree_read(const char *text, const char **wrong)
{
    (void)text;
    *wrong = "tweed was built without hwloc";
    return NULL;
}
#else

#include <hwloc.h>

#define SAME_PACKAGE 12 /* the distance of nodes of one package, if none is said */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* hwloc's own; NULL: it does not take the text, or there is no memory. */
static hwloc_topology_t load(const char *text)
{
    hwloc_topology_t h;

    if (hwloc_topology_init(&h) != 0)
        return NULL;
    if ((ends_with(text, ".xml") ? hwloc_topology_set_xml(h, text)
                                 : hwloc_topology_set_synthetic(h, text)) == 0 &&
        hwloc_topology_load(h) == 0)
        return h;
    hwloc_topology_destroy(h);
    return NULL;
}

/* The number of the first CPU that shares the last-level cache. */
static int domain_of(hwloc_obj_t pu)
{
    int domain = TWEED__NO_DOMAIN;

    for (hwloc_obj_t o = pu->parent; o; o = o->parent)
        if (hwloc_obj_type_is_dcache(o->type))
            domain = hwloc_bitmap_first(o->cpuset);
    return domain;
}

static int core_of(hwloc_topology_t h, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(h, HWLOC_OBJ_CORE, pu);

    return core ? hwloc_bitmap_first(core->cpuset) : (int)pu->os_index;
}

/* What a CPU can do: as Linux says, or by the kind of its core. */
static int capacity_of(hwloc_topology_t h, hwloc_obj_t pu)
{
    int kind = hwloc_cpukinds_get_by_cpuset(h, pu->cpuset, 0), efficiency;
    struct hwloc_info_s *infos = NULL;
    unsigned n = 0;

    if (kind < 0 ||
        hwloc_cpukinds_get_info(h, (unsigned)kind, NULL, &efficiency, &n, &infos, 0) != 0)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        const char *end;
        int64_t c;

        if (strcmp(infos[i].name, "LinuxCapacity") == 0 &&
            tweed__parse_number(infos[i].value, &end, 1, TWEED__CAPACITY, &c) && !*end)
            return (int)c;
    }
    for (unsigned i = 0; i < n; i++)
        if (strcmp(infos[i].name, "CoreType") == 0 &&
            strcmp(infos[i].value, "IntelAtom") == 0)
            return TWEED__SMALL_CORE;
    return 0;
}

/* The place of the CPU's node; a node that is not there yet gets the next one. */
static int place_of(struct tweed__topology *t, hwloc_obj_t pu)
{
    int node = hwloc_bitmap_first(pu->nodeset), place = 0;

    while (place < t->num_nodes && t->nodes[place] != node)
        place++;
    if (place == t->num_nodes)
        t->nodes[t->num_nodes++] = node < 0 ? 0 : node;
    return place;
}

static hwloc_obj_t node_at(hwloc_topology_t h, int number)
{
    return hwloc_get_numanode_obj_by_os_index(h, (unsigned)number);
}

static bool same_package(hwloc_topology_t h, hwloc_obj_t a, hwloc_obj_t b)
{
    hwloc_obj_t common = a && b ? hwloc_get_common_ancestor_obj(h, a->parent, b->parent)
                                : NULL;

    return common && hwloc_get_ancestor_obj_by_type(h, HWLOC_OBJ_PACKAGE, common);
}

static void fill_distances(hwloc_topology_t h, struct tweed__topology *t)
{
    struct hwloc_distances_s *d = NULL;
    unsigned one = 1;
    int n = t->num_nodes;

    if (hwloc_distances_get_by_type(h, HWLOC_OBJ_NUMANODE, &one, &d,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0)
        d = NULL;
    for (int k = 0; k < n * n; k++) {
        hwloc_obj_t a = node_at(h, t->nodes[k / n]), b = node_at(h, t->nodes[k % n]);
        hwloc_uint64_t there, back;

        t->distances[k] = a == b                   ? TWEED__LOCAL
                          : same_package(h, a, b) ? SAME_PACKAGE
                                                  : TWEED__REMOTE;
        if (d && a && b && hwloc_distances_obj_pair_values(d, a, b, &there, &back) == 0)
            t->distances[k] = there < INT_MAX ? (int)there : INT_MAX;
    }
    if (d)
        hwloc_distances_release(h, d);
}

static void fill(hwloc_topology_t h, struct tweed__topology *t)
{
    t->num_nodes = 0;
    for (int i = 0; i < t->num_cpus; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(h, HWLOC_OBJ_PU, (unsigned)i);

        t->cpus[i] = (struct tweed__cpu){ .cpu = (int)pu->os_index,
                                          .node = place_of(t, pu),
                                          .domain = domain_of(pu),
                                          .core = core_of(h, pu),
                                          .capacity = capacity_of(h, pu) };
    }
    fill_distances(h, t);
    t->synthetic = true;
    t->source = "TWEED_TOPOLOGY, by hwloc";
    tweed__topology_count_threads(t);
    tweed__topology_order(t);
}

struct tweed__topology *tweed__tree_read(const char *text, const char **wrong)
{
    struct tweed__topology *t = NULL;
    hwloc_topology_t h = load(text);
    int cpus, nodes;

    *wrong = NULL;
    if (!h) {
        *wrong = "hwloc does not take what comes after hwloc:";
        return NULL;
    }
    cpus = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU);
    nodes = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_NUMANODE);
    if (cpus < 1 || cpus > TWEED__MAX_WORKERS)
        *wrong = "a machine may have 1 to 4094 CPUs";
    else
        t = tweed__topology_new(cpus, nodes > 0 ? nodes : 1);
    if (t)
        fill(h, t);
    hwloc_topology_destroy(h);
    return t;
}
#endif
