/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a process sees what treatments of a designed experiment change: one line of KEY=VALUE;… is
 * appended to a file.
 *
 *	treatment-view FILE [ARGUMENT…]
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

static void print_variable(FILE *out, const char *key, const char *name)
{
	const char *value = getenv(name);

	fprintf(out, "%s=%s;", key, value ? value : "unset");
}

/* A digest (FNV-1a) of the environment without ETALON_PAD and the numbers of the run. */
static void print_environment(FILE *out)
{
	const char *pad = getenv("ETALON_PAD");
	uint64_t digest = 14695981039346656037u;
	size_t bytes = 0;

	for (char **p = environ; *p; p++) {
		bytes += strlen(*p) + 1;
		if (!strncmp(*p, "ETALON_", 7) || !strncmp(*p, "HYPERFINE_", 10))
			continue;
		for (const char *c = *p;; c++) {
			digest = (digest ^ (unsigned char)*c) * 1099511628211u;
			if (!*c)
				break;
		}
	}
	fprintf(out, "bytes=%zu;rest=%016llx;pad=%s%zu;numbered=%d;", bytes,
		(unsigned long long)digest, pad ? "" : "no", pad ? strlen(pad) : (size_t)0,
		getenv("ETALON_ITERATION") != NULL);
	print_variable(out, "level", "LEVEL");
	print_variable(out, "threads", "OMP_NUM_THREADS");
	print_variable(out, "gomp", "GOMP_CPU_AFFINITY");
	print_variable(out, "places", "OMP_PLACES");
	print_variable(out, "bind", "OMP_PROC_BIND");
}

static void print_addresses(FILE *out, int argc, char **argv)
{
	size_t bytes = 0;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	fprintf(out, "argc=%d;arguments=%zu;path=%zu;argv=%p;stack=%p;", argc, bytes,
		strlen((const char *)getauxval(AT_EXECFN)), (void *)argv[0],
		__builtin_frame_address(0));
}

static void print_cpus(FILE *out)
{
	cpu_set_t set;

	fprintf(out, "cpus=");
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0, n = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set))
			fprintf(out, "%s%d", n++ ? "," : "", cpu);
	}
	fprintf(out, ";");
}

static void print_rest(FILE *out)
{
	struct sched_param param = { 0 };
	unsigned long nodes[16] = { 0 };
	int mode = -1;
	char folder[4096] = "";

	sched_getparam(0, &param);
	if (syscall(SYS_get_mempolicy, &mode, nodes, 8 * sizeof(nodes), NULL, 0) < 0)
		mode = -errno;
	fprintf(out, "nice=%d;policy=%d;priority=%d;aslr=%s;memory=%d:%lx;folder=%s\n",
		getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), param.sched_priority,
		personality(0xffffffff) & ADDR_NO_RANDOMIZE ? "off" : "on", mode, nodes[0],
		getcwd(folder, sizeof(folder)));
}

int main(int argc, char **argv)
{
	FILE *out = argc > 1 ? fopen(argv[1], "ae") : NULL;

	if (!out) {
		perror(argc > 1 ? argv[1] : "usage: treatment-view FILE");
		return 1;
	}
	print_environment(out);
	print_addresses(out, argc, argv);
	print_cpus(out);
	print_rest(out);
	return fclose(out) ? 1 : 0;
}
