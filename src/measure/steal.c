/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/steal.h"
#include "base/alloc.h"
#include "base/clock.h"

#include <fcntl.h>
#include <string.h>

enum { STAT_BYTES = 65536 }; /* the CPUs come first; what is cut off is interrupts */

void et_steal_open(struct et_steal *s, bool virtual_machine)
{
	s->physical = !virtual_machine;
	s->read_ns = s->sum_ns = 0;
	s->counted = NULL;
	s->fd = virtual_machine ? open("/proc/stat", O_RDONLY | O_CLOEXEC) : -1;
	s->buf = et_alloc(STAT_BYTES);
}

void et_steal_close(struct et_steal *s)
{
	et_cleanup_close(&s->fd);
	free(s->buf);
	s->buf = NULL;
	s->fd = -1;
}

uint64_t et_steal_parse_ns(const char *text, const cpu_set_t *cpus, long ticks_per_second)
{
	uint64_t ticks = 0;
	bool seen = false;

	/* "cpu0 user nice system idle iowait irq softirq steal …" */
	for (const char *line = text; line; line = strchr(line, '\n')) {
		int cpu;
		unsigned long long steal;
		line += *line == '\n';
		if (sscanf(line, "cpu%d %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &steal) != 2 ||
			line[3] == ' ' || cpu < 0 || cpu >= CPU_SETSIZE)
			continue;
		if (!cpus || CPU_ISSET(cpu, cpus))
			ticks += steal;
		seen = true;
	}
	if (!seen || ticks_per_second <= 0)
		return ET_UNKNOWN;
	return ticks * (1000000000u / (uint64_t)ticks_per_second);
}

uint64_t et_steal_read_ns(struct et_steal *s, const cpu_set_t *cpus)
{
	static const uint64_t UNIT_NS = 10000000;
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);

	if (s->physical)
		return 0;
	bool stale = !s->read_ns || now_ns - s->read_ns >= UNIT_NS;
	if (stale) {
		ssize_t n = s->fd < 0 ? -1 : pread(s->fd, s->buf, STAT_BYTES - 1, 0);
		if (n <= 0)
			return ET_UNKNOWN;
		s->buf[n] = '\0';
		s->read_ns = now_ns;
	}
	if (stale || s->counted != cpus) {
		s->sum_ns = et_steal_parse_ns(s->buf, cpus, sysconf(_SC_CLK_TCK));
		s->counted = cpus;
	}
	return s->sum_ns;
}
