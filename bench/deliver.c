/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delivers experiments to a central store from many processes at once, as the tasks of a cluster
 * do: each delivery has a connection of its own, and is tried again after a random pause if the
 * server has none left.
 *
 *   bench-deliver URL CLIENTS DELIVERIES SAMPLES
 *
 * prints, as one line: seconds, deliveries per second, samples per second, the median, the 95th and
 * the 99th percentile and the maximum of the time of one delivery in ms, and the number of retries.
 */
#include "base/base.h"
#include "base/clock.h"
#include "model/experiment/field.h"
#include "store/central/spool.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shared by the processes. */
struct progress {
	uint32_t next, retries, failed;
	double ms[];
};

static void fill(struct et_sample *s, uint32_t order)
{
	uint64_t x = order * 2654435761u;

	et_fields_set_missing(et_sample_fields, s);
	s->place = (struct et_place){ .order = order,
		.command = order % 2,
		.round = (order + 1) / 2,
		.position = order % 2,
		.partner = -1 };
	s->measured.exit_code = 0;
	s->measured.cpu_source = ET_CPU_BY_CPU_STAT;
	s->measured.started_wall_ns = 1763196906000000000u + x;
	s->measured.elapsed_ns = 20000000 + x % 5000000;
	s->measured.cpu_ns = 19000000 + x % 700000;
	s->measured.user_ns = 15000000 + x % 600000;
	s->measured.system_ns = 4000000 + x % 100000;
	s->measured.wait_ns = x % 300000;
	s->measured.max_rss_bytes = 4096 * (1000 + x % 64);
	s->measured.minor_faults = 1000 + x % 100;
}

static struct et_experiment *make(uint32_t number, uint32_t samples)
{
	static const char *const names[] = { "old", "new" };
	struct et_experiment *e = et_experiment_new();
	struct et_culprit cron = { .name = "cron", .pid = 300, .cpu_ns = 5000 };

	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		char **argv = et_calloc(2, sizeof(*argv));
		argv[0] = et_strdup(names[i]);
		et_experiment_add_command(e, et_strdup(names[i]), argv);
	}
	et_experiment_name(e, 1763196906000000000u + number * 1000000000ull, number);
	e->started_wall_ns = e->finished_wall_ns = 1763196906000000000u + number * 1000000000ull;
	e->state = ET_STATE_DONE;
	e->origin = ET_ORIGIN_MEASURED;
	e->protocol = ET_PROTOCOL_CAUSE;
	snprintf(e->machine, sizeof(e->machine), "node%u 0123456789abcdef", number % 1000);
	for (uint32_t i = 1; i <= samples; i++) {
		struct et_sample s = { 0 };
		fill(&s, i);
		if (i % 10 == 0) {
			s.measured.culprits = &cron;
			s.measured.n_culprits = 1;
		}
		et_experiment_add(e, &s);
	}
	return e;
}

static int deliver(const char *url, const struct et_experiment *e, struct et_error *err)
{
	struct et_store *store = NULL;
	enum et_delivered result;
	int rc = et_store_open(url, ET_STORE_WRITE, &store, err);

	if (rc == 0)
		rc = et_store_deliver(store, e, &result, err);
	et_store_close(store);
	return rc;
}

static void work(struct progress *p, const char *url, uint32_t deliveries, uint32_t samples)
{
	uint32_t number;

	srandom((unsigned)getpid());
	while ((number = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < deliveries) {
		struct et_experiment *e = make(number, samples);
		struct et_error err = { 0 };
		uint64_t begun = et_clock_read_ns(CLOCK_MONOTONIC);
		int rc;

		while ((rc = deliver(url, e, &err)) == -EAGAIN) {
			__atomic_fetch_add(&p->retries, 1, __ATOMIC_RELAXED);
			usleep((useconds_t)(10000 + random() % 200000));
		}
		p->ms[number] = (double)(et_clock_read_ns(CLOCK_MONOTONIC) - begun) / 1e6;
		if (rc && !__atomic_fetch_add(&p->failed, 1, __ATOMIC_RELAXED))
			fprintf(stderr, "bench-deliver: %s (%s)\n", err.what, err.hint);
		et_experiment_free(e);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(struct progress *p, uint32_t n, uint32_t samples, double seconds)
{
	qsort(p->ms, n, sizeof(*p->ms), by_value);
	printf("%.2f %.1f %.0f %.1f %.1f %.1f %.1f %u\n", seconds, n / seconds,
		(double)n * samples / seconds, p->ms[n / 2], p->ms[n - 1 - n / 20],
		p->ms[n - 1 - n / 100], p->ms[n - 1], p->retries);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	uint32_t clients = (uint32_t)atoi(argv[2]), n = (uint32_t)atoi(argv[3]);
	uint32_t samples = (uint32_t)atoi(argv[4]);
	size_t size = sizeof(struct progress) + n * sizeof(double);
	struct progress *p =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || !clients || !n)
		return 1;
	uint64_t begun = et_clock_read_ns(CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < clients; i++) {
		if (fork() == 0) {
			work(p, argv[1], n, samples);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	print(p, n, samples, (double)(et_clock_read_ns(CLOCK_MONOTONIC) - begun) / 1e9);
	return p->failed != 0;
}
