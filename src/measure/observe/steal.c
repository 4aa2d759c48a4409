/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/steal.h"
#include "base/clock.h"
#include "measure/child/run.h"

#include <fcntl.h>

enum { STAT_BYTES = 65536 }; /* the CPUs come first; later lines may be cut off */

void et_steal_open(struct et_steal *s, const char *root, bool virtual_machine)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	*s = (struct et_steal){ .physical = !virtual_machine,
		.fd = virtual_machine ? open(path, O_RDONLY | O_CLOEXEC) : -1,
		.buf = et_alloc(STAT_BYTES) };
}

void et_steal_close(struct et_steal *s)
{
	et_cleanup_close(&s->fd);
	free(s->buf);
	s->buf = NULL;
	s->fd = -1;
}

struct et_stolen et_steal_parse(const char *text, const cpu_set_t *cpus, long ticks_per_second)
{
	struct et_stolen sum = { ET_UNKNOWN, 0 };
	uint64_t stolen = 0, busy = 0;
	bool seen = false;

	/* "cpu0 user nice system idle iowait irq softirq steal …" */
	for (const char *line = text; line; line = strchr(line, '\n')) {
		int cpu;
		unsigned long long user, nice, system, irq, softirq, steal;
		line += *line == '\n';
		if (sscanf(line, "cpu%d %llu %llu %llu %*u %*u %llu %llu %llu", &cpu, &user, &nice,
			    &system, &irq, &softirq, &steal) != 7 ||
			line[3] == ' ' || cpu < 0 || cpu >= CPU_SETSIZE)
			continue;
		if (!cpus || CPU_ISSET(cpu, cpus)) {
			stolen += steal;
			busy += user + nice + system + irq + softirq;
		}
		seen = true;
	}
	if (seen && ticks_per_second > 0) {
		uint64_t tick_ns = 1000000000u / (uint64_t)ticks_per_second;
		sum.steal_ns = stolen * tick_ns;
		sum.busy_ns = busy * tick_ns;
	}
	return sum;
}

struct et_stolen et_steal_read(struct et_steal *s, const cpu_set_t *cpus)
{
	static const uint64_t UNIT_NS = 10000000;
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);

	if (s->physical)
		return (struct et_stolen){ 0, 0 };
	bool stale = !s->read_ns || now_ns - s->read_ns >= UNIT_NS;
	if (stale) {
		ssize_t n = s->fd < 0 ? -1 : pread(s->fd, s->buf, STAT_BYTES - 1, 0);
		if (n <= 0)
			return (struct et_stolen){ ET_UNKNOWN, 0 };
		s->buf[n] = '\0';
		s->read_ns = now_ns;
	}
	if (stale || s->counted != cpus) {
		s->sum = et_steal_parse(s->buf, cpus, sysconf(_SC_CLK_TCK));
		s->counted = cpus;
	}
	return s->sum;
}

uint64_t et_steal_share_ns(struct et_stolen before, struct et_stolen after, uint64_t cpu_ns)
{
	if (before.steal_ns == ET_UNKNOWN || after.steal_ns == ET_UNKNOWN)
		return ET_UNKNOWN;
	/* The sums fall if a CPU goes offline. */
	if (after.steal_ns <= before.steal_ns)
		return 0;
	double stolen = (double)(after.steal_ns - before.steal_ns);
	double busy = after.busy_ns > before.busy_ns ? (double)(after.busy_ns - before.busy_ns) : 0;
	double share = busy > (double)cpu_ns ? (double)cpu_ns / busy : 1;
	return (uint64_t)(stolen * share);
}

/* --- the observer --- */

static int open_steal(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct et_steal *s = et_calloc(1, sizeof(*s));

	(void)err;
	et_steal_open(s, setup->root, strcmp(setup->e->host.virtual_machine, "none") != 0);
	*self = s;
	return 0;
}

static void read_into(struct et_steal *s, struct et_run *run, size_t moment)
{
	struct et_stolen now = et_steal_read(s, run->cpus);

	for (size_t i = 0; i < run->n; i++)
		run->read[i].stolen[moment] = now;
}

static void before(void *self, struct et_run *run)
{
	read_into(self, run, 0);
}

static void after(void *self, struct et_run *run)
{
	read_into(self, run, 1);
}

static void close_steal(void *self)
{
	et_steal_close(self);
	free(self);
}

const struct et_observer et_observe_steal = {
	.name = "steal",
	.open = open_steal,
	.before = before,
	.after = after,
	.close = close_steal,
};
