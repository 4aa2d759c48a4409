/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the speed of the store: writes a million samples (1,000 experiments of 1,000 samples
 * with three culprits each, a commit every 1,000 samples), then reads one experiment and the list.
 *
 *   bench-store [FILE [EXPERIMENTS [SAMPLES [GROUP]]]]
 *
 * If FILE is given, it is not removed; bench/store uses it afterwards.
 */
#include "store/core/store.h"
#include "base/base.h"
#include "base/clock.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { CULPRITS = 3 };

static void check(int rc, const struct et_error *err)
{
	if (!rc)
		return;
	fprintf(stderr, "bench-store: %s\n", err->what);
	exit(1);
}

static double seconds_since(uint64_t start_ns)
{
	return (double)(et_clock_read_ns(CLOCK_MONOTONIC) - start_ns) / 1e9;
}

/* As on a real machine, few of the numbers are small and no two are equal. */
static void fill(struct et_sample *s, struct et_culprit *others, uint32_t order)
{
	static const char *const names[] = { "systemd", "kworker/0:1-ev", "sshd", "cron",
		"rcu_preempt", "ksoftirqd/0", "containerd", "prometheus" };
	uint64_t x = order * 2654435761u;

	*s = (struct et_sample){ .place.order = order,
		.place.round = order,
		.place.partner = -1,
		.measured.cpu_source = ET_CPU_BY_CPUACCT,
		.measured.started_wall_ns = 1763196906000000000u + x,
		.measured.elapsed_ns = 200000000 + x % 50000000,
		.measured.cpu_ns = 190000000 + x % 7000000,
		.measured.user_ns = 150000000 + x % 6000000,
		.measured.system_ns = 40000000 + x % 1000000,
		.measured.wait_ns = x % 3000000,
		.measured.blocked_ns = ET_UNKNOWN,
		.measured.steal_ns = x % 100000,
		.measured.max_rss_bytes = 4096 * (1000 + x % 64),
		.measured.voluntary_switches = x % 100,
		.measured.involuntary_switches = x % 30,
		.measured.minor_faults = 1000 + x % 100 };
	for (uint32_t i = 0; i < CULPRITS; i++) {
		others[i] = (struct et_culprit){ .pid = (int32_t)(300 + (x >> i) % 32000),
			.kernel_thread = i == 1,
			.cpu_ns = (x >> i) % 5000000,
			.doubt_ns = 4000000,
			.on_our_cpu_ns = ET_UNKNOWN };
		strcpy(others[i].name, names[(x >> (3 * i)) % ET_LENGTH(names)]);
	}
	s->measured.culprits = others;
	s->measured.n_culprits = CULPRITS;
}

static void name_experiment(char id[40], uint32_t number)
{
	snprintf(id, 40, "20251115-085506-%06x", number);
}

static void write_one(struct et_store *store, uint32_t number, uint32_t samples, uint32_t group)
{
	struct et_command command = { .name = (char *)"sort data", .text = (char *)"sort data" };
	struct et_experiment e = { .started_wall_ns = 1763196906000000000u + number,
		.commands = &command,
		.n_commands = 1 };
	struct et_culprit others[CULPRITS];
	struct et_sample sample;
	struct et_error err;

	name_experiment(e.id, number);
	check(et_store_begin(store, &e, &err), &err);
	for (uint32_t order = 1; order <= samples; order++) {
		fill(&sample, others, order);
		check(et_store_add(store, e.id, &sample, &err), &err);
		if (order % group == 0)
			check(et_store_flush(store, &err), &err);
	}
	check(et_store_set_state(store, e.id, ET_STATE_DONE, 1, &err), &err);
}

static int count(void *ctx, const struct et_summary *entry)
{
	*(uint64_t *)ctx += entry->n_samples;
	return 0;
}

static void read_back(const char *path, uint32_t experiments)
{
	struct et_store *store = NULL;
	struct et_experiment *e = NULL;
	struct et_error err;
	uint64_t total = 0;
	char id[40];

	name_experiment(id, experiments / 2);
	uint64_t start = et_clock_read_ns(CLOCK_MONOTONIC);
	check(et_store_open(path, ET_STORE_READ, &store, &err), &err);
	check(et_store_load(store, id, &e, &err), &err);
	printf("open and load one of %u experiments: %.4f s (%zu samples)\n", experiments,
		seconds_since(start), e->commands[0].samples.n);
	et_experiment_free(e);
	start = et_clock_read_ns(CLOCK_MONOTONIC);
	check(et_store_list(store, 0, count, &total, &err), &err);
	printf("list of all: %.4f s (%" PRIu64 " samples)\n", seconds_since(start), total);
	et_store_close(store);
}

static uint32_t number(char *const *argv, int argc, int i, uint32_t otherwise)
{
	unsigned long n = argc > i ? strtoul(argv[i], NULL, 10) : otherwise;

	return n > 0 && n < UINT32_MAX ? (uint32_t)n : otherwise;
}

int main(int argc, char **argv)
{
	uint32_t experiments = number(argv, argc, 2, 1000), samples = number(argv, argc, 3, 1000);
	uint32_t group = number(argv, argc, 4, 1000);
	ET_AUTO_FREE char *path = argc > 1 ? et_strdup(argv[1])
					   : et_asprintf("/tmp/bench-store-%d.db", (int)getpid());
	struct et_store *store = NULL;
	struct et_error err;
	struct stat st;

	check(et_store_open(path, ET_STORE_WRITE, &store, &err), &err);
	uint64_t start = et_clock_read_ns(CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < experiments; i++)
		write_one(store, i, samples, group);
	double took = seconds_since(start), total = (double)experiments * samples;
	et_store_close(store);
	printf("%.0f samples in %.2f s: %.0f per second, a commit every %u\n", total, took,
		total / took, group);
	if (stat(path, &st) == 0)
		printf("%.1f MB on disk: %.1f bytes per sample with %d culprits\n",
			(double)st.st_size / 1e6, (double)st.st_size / total, CULPRITS);
	read_back(path, experiments);
	if (argc < 2)
		unlink(path);
	return 0;
}
