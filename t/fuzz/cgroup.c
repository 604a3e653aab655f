/*
 * cgroup.c - a fuzzer of what the kernel says of cgroups, v1 and v2.
 *
 * SPDX-License-Identifier: MIT
 *
 * The input has the files as sections: "=cgroup" and "=mountinfo", which are those of
 * /proc/self, and "=cpu.max" and so on, of each group or with its path of one.
 */
#include "config.h"

#include "files.h"

#define fopen(path, mode) files_open(path)
#include "system/cgroup.c"
#undef fopen

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    files_input = (const char *)data;
    files_size = size;
    fuzz_must(tweed__cgroup_quota("") >= 0);
    return 0;
}
