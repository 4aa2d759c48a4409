/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/topology.h"
#include "host/host.h"

struct cpu {
	int number;
	int package, core; /* of the core: the number of its first CPU */
	/* Places among the CPUs of the set. */
	int core_rank;    /* of its core in the package */
	int sibling_rank; /* of itself in the core */
};

static int read_number(const char *root, int cpu, const char *file, int otherwise)
{
	char text[32];
	int value;
	ssize_t n = et_host_line(
		root, text, sizeof(text), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, file);

	return n > 0 && sscanf(text, "%d", &value) == 1 ? value : otherwise;
}

static int by_machine(const void *a, const void *b)
{
	const struct cpu *x = a, *y = b;

	return ET_ORDER(x->package, y->package) ?: ET_ORDER(x->core, y->core)
		?: ET_ORDER(x->number, y->number);
}

static int by_rank(const void *a, const void *b)
{
	const struct cpu *x = a, *y = b;

	return ET_ORDER(x->sibling_rank, y->sibling_rank)
		?: ET_ORDER(x->core_rank, y->core_rank) ?: by_machine(a, b);
}

static void rank(struct cpu *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct cpu *c = &list[i], *before = &list[i - 1];
		if (c->package != before->package)
			continue;
		if (c->core == before->core) {
			c->core_rank = before->core_rank;
			c->sibling_rank = before->sibling_rank + 1;
		} else {
			c->core_rank = before->core_rank + 1;
		}
	}
}

size_t et_topology_order(
	const char *root, const cpu_set_t *cpus, enum et_placement placement, int *out)
{
	ET_AUTO_FREE struct cpu *list = et_calloc(CPU_SETSIZE, sizeof(*list));
	size_t n = 0;

	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, cpus)) /* a list of siblings begins with the first */
			list[n++] = (struct cpu){ .number = i,
				.package = read_number(root, i, "physical_package_id", 0),
				.core = read_number(root, i, "thread_siblings_list", i) };
	}
	qsort(list, n, sizeof(*list), by_machine);
	if (placement == ET_PLACE_SCATTER) {
		rank(list, n);
		qsort(list, n, sizeof(*list), by_rank);
	}
	for (size_t i = 0; i < n; i++)
		out[i] = list[i].number;
	return n;
}
