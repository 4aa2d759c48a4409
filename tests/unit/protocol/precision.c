/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each version of EMP counts of twelve runs made by hand, and the figures by definition. */
#include "protocol/precision.h"
#include "base/alloc.h"
#include "tap.h"

enum { RUNS = 12, CRON = 2, ODD = 4, BURST = 7, FAR = 9, SLOW = 11 };

static bool stoppable(const char *comm)
{
	return !strcmp(comm, "cron");
}

static void beside(struct et_sample *s, const char *name, uint64_t cpu_ns)
{
	s->measured.culprits = et_realloc(
		s->measured.culprits, s->measured.n_culprits + 1, sizeof(*s->measured.culprits));
	struct et_culprit *x = &s->measured.culprits[s->measured.n_culprits++];
	*x = (struct et_culprit){ .cpu_ns = cpu_ns };
	snprintf(x->name, sizeof(x->name), "%s", name);
}

static uint64_t pt_of(int i)
{
	return 100000000 + (uint64_t)i * 10000 + (i == BURST ? 50000000 : i == FAR ? 500000 : 0);
}

static void add(struct et_experiment *e, const struct et_sample *like, int i)
{
	struct et_sample s = *like;

	s.place.order = (uint32_t)i + 1;
	s.place.partner = -1;
	s.measured.started_wall_ns = (uint64_t)i * 200000000;
	s.measured.cpu_ns = pt_of(i);
	s.measured.elapsed_ns = s.measured.cpu_ns + 2000000;
	s.measured.counter_ticks = 3 * s.measured.elapsed_ns;
	beside(&s, "java", i == BURST ? 50000000 : 1000000);
	if (i == CRON)
		beside(&s, "cron", 20000);
	if (i == ODD)
		beside(&s, "odd", 500000);
	if (i == SLOW)
		s.ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	et_experiment_add(e, &s);
	free(s.measured.culprits);
}

static struct et_experiment *make(int runs)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	const struct et_sample plain = { 0 };
	const struct et_sample never[] = { { .place.warmup = true },
		{ .place.arrangement = ET_DUET }, { .ruling.removal = { .by = ET_REMOVED_FAILED } },
		{ .ruling.removal = { .by = ET_REMOVED_STOPPED } } };

	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup("INC0.1");
	for (size_t i = 0; i < ET_LENGTH(never); i++)
		add(e, &never[i], BURST);
	for (int i = 0; i < runs; i++)
		add(e, &plain, i);
	return e;
}

/* By definition, over the runs that are not listed (-1 ends the list). */
static void expect(
	const struct et_precision *p, const int *without, uint64_t more, const char *what)
{
	double sum = 0, squares = 0, n = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < RUNS; i++) {
			bool out = false;
			for (const int *w = without; *w >= 0; w++)
				out = out || *w == i;
			double x = (double)(pt_of(i) + more);
			if (out)
				continue;
			if (pass == 0) {
				sum += x;
				n++;
			} else {
				squares += (x - sum / n) * (x - sum / n);
			}
		}
	}
	ok((double)p->n == n, "%s: %g runs count (%zu)", what, n, p->n);
	near(p->mean, sum / n, 1e-14, 0, "%s: their mean", what);
	near(p->sd, sqrt(squares / (n - 1)), 1e-9, 0, "%s: their sd", what);
	near(p->relative_error, sqrt(squares / (n - 1)) / (sum / n), 1e-9, 0,
		"%s: the relative error", what);
}

static void test_versions(void)
{
	static const int without[ET_VERSIONS][5] = { { -1 }, { CRON, -1 }, { CRON, ODD, -1 },
		{ CRON, BURST, -1 }, { CRON, BURST, -1 }, { CRON, BURST, FAR, -1 }, { SLOW, -1 } };
	static const size_t removed[ET_VERSIONS] = { 0, 1, 2, 2, 2, 3, 1 };
	struct et_experiment *e = make(RUNS);
	struct et_versions v;

	et_versions_judge(&e->commands[0], stoppable, &v);
	for (int i = 0; i < ET_VERSIONS; i++) {
		expect(&v.list[i].by[ET_METRIC_CPU], without[i], 0, et_version_names[i]);
		expect(&v.list[i].by[ET_METRIC_ELAPSED], without[i], 2000000, et_version_names[i]);
		ok(v.list[i].removed == removed[i], "%s: %zu removed", et_version_names[i],
			v.list[i].removed);
	}
	/* The sixth and the seventh of the twelve: 100.05 and 100.06 ms, and 2 ms more. */
	near(v.seconds, (double)(pt_of(5) + pt_of(6)) / 2e9 + 0.002, 1e-12, 0, "the median");
	is_str(v.name, "INC0.1", "the command");
	ok(v.enough == 0, "nine runs are too few to tell how many are enough");
	et_experiment_free(e);
}

static void test_few(void)
{
	struct et_experiment *e = make(9);
	struct et_versions v;

	et_versions_judge(&e->commands[0], stoppable, &v);
	ok(v.list[ET_EMP_V1].removed == 0 && v.list[ET_EMP_V2].removed == 1, "of nine runs one");
	ok(v.list[ET_EMP_V5].removed == 1 && v.list[ET_EMP_V6].removed == 1,
		"is removed by v5 and v6, too: they need ten");
	et_experiment_free(e);
	e = make(1);
	et_versions_judge(&e->commands[0], stoppable, &v);
	ok(v.list[ET_OURS].by[ET_METRIC_CPU].n == 1 && isnan(v.list[ET_OURS].by[ET_METRIC_CPU].sd),
		"one run has no sd");
	et_experiment_free(e);
	e = make(0);
	et_versions_judge(&e->commands[0], stoppable, &v);
	ok(v.list[ET_OURS].by[ET_METRIC_CPU].n == 0 &&
			isnan(v.list[ET_OURS].by[ET_METRIC_CPU].mean) && isnan(v.seconds),
		"none has nothing");
	et_experiment_free(e);
}

static void test_clocks(void)
{
	static const int all[] = { -1 }, kept[] = { SLOW, -1 };
	struct et_experiment *e = make(RUNS);
	struct et_clock_methods m;
	struct et_counted counted;

	et_clock_methods_judge(&e->commands[0], &m);
	expect(&m.by[ET_BY_CLOCK], all, 2000000, "clock_gettime");
	expect(&m.by[ET_BY_EMP], kept, 0, "EMP");
	ok(m.by[ET_BY_COUNTER].n == RUNS, "the counter reads all runs");
	near(m.by[ET_BY_COUNTER].mean, 3 * m.by[ET_BY_CLOCK].mean, 1e-14, 0, "in its ticks");
	near(m.by[ET_BY_COUNTER].relative_error, m.by[ET_BY_CLOCK].relative_error, 1e-9, 0,
		"with the clock's relative error where its rate is fixed");
	near(m.counter_hz, 3e9, 1e-14, 0, "which the clock tells");
	et_counted_judge(&e->commands[0], &counted);
	expect(&counted.by[ET_METRIC_ELAPSED], kept, 2000000, "as recorded");
	ok(counted.removed == 1, "one is removed");

	for (size_t i = 0; i < e->commands[0].n_samples; i++)
		e->commands[0].samples[i].measured.counter_ticks = ET_UNKNOWN;
	et_clock_methods_judge(&e->commands[0], &m);
	ok(m.by[ET_BY_COUNTER].n == 0 && isnan(m.by[ET_BY_COUNTER].mean) && isnan(m.counter_hz),
		"without a counter there is none");
	et_experiment_free(e);
}

int main(void)
{
	test_versions();
	test_few();
	test_clocks();
	return tap_done();
}
