/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of twelve synthetic runs count, and the figures by definition. */
#include "protocol/precision.h"
#include "base/base.h"
#include "tap.h"

enum { RUNS = 12, BURST = 7, FAR = 9, SLOW = 11 };

static uint64_t cpu_ns_of(int i)
{
	return 100000000 + (uint64_t)i * 10000 + (i == BURST ? 50000000 : i == FAR ? 500000 : 0);
}

static void add(struct et_experiment *e, const struct et_sample *like, int i)
{
	struct et_sample s = *like;

	s.place.order = (uint32_t)i + 1;
	s.place.partner = -1;
	s.measured.started_wall_ns = (uint64_t)i * 200000000;
	s.measured.cpu_ns = cpu_ns_of(i);
	s.measured.elapsed_ns = s.measured.cpu_ns + 2000000;
	if (i == SLOW)
		s.ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	et_experiment_add(e, &s);
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

/* Checks the figures of all runs but those in `without` (-1 ends the list), plus `more` each. */
static void expect(
	const struct et_precision *p, const int *without, uint64_t more, const char *what)
{
	double sum = 0, squares = 0, n = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < RUNS; i++) {
			bool out = false;
			for (const int *w = without; *w >= 0; w++)
				out = out || *w == i;
			double x = (double)(cpu_ns_of(i) + more);
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
	ok((double)p->n == n, "%s: %g runs count (got %zu)", what, n, p->n);
	near(p->mean, sum / n, 1e-14, 0, "%s: the mean agrees with the definition", what);
	near(p->sd, sqrt(squares / (n - 1)), 1e-9, 0, "%s: the sd agrees with the definition",
		what);
	near(p->relative_error, sqrt(squares / (n - 1)) / (sum / n), 1e-9, 0,
		"%s: the relative error is sd / mean", what);
}

static void test_few(void)
{
	struct et_experiment *e = make(1);
	struct et_counted c;

	et_counted_judge(&e->commands[0], &c);
	ok(c.by[ET_METRIC_CPU].n == 1 && isnan(c.by[ET_METRIC_CPU].sd), "one run: the sd is NaN");
	et_experiment_free(e);
	e = make(0);
	et_counted_judge(&e->commands[0], &c);
	ok(c.by[ET_METRIC_CPU].n == 0 && isnan(c.by[ET_METRIC_CPU].mean) &&
			isnan(c.by[ET_METRIC_CPU].min),
		"no runs: mean and minimum are NaN");
	et_experiment_free(e);
}

static void test_counted(void)
{
	static const int kept[] = { SLOW, -1 };
	struct et_experiment *e = make(RUNS);
	struct et_counted counted;

	et_counted_judge(&e->commands[0], &counted);
	expect(&counted.by[ET_METRIC_ELAPSED], kept, 2000000, "counted as recorded");
	ok(counted.removed == 1, "counted as recorded: one run is removed");
	et_experiment_free(e);
}

/* Removes run i; four samples that never count are before the runs. */
static void rule(struct et_experiment *e, int i, enum et_removed_by by)
{
	struct et_sample *s = et_samples_edit(&e->commands[0].samples, (size_t)i + 4);

	s->ruling.removal.by = by;
}

static void test_program(void)
{
	static const int all[] = { -1 }, first[] = { BURST, SLOW, -1 },
			 both[] = { BURST, FAR, SLOW, -1 };
	struct et_experiment *e = make(RUNS);
	struct et_program_precision p;

	rule(e, BURST, ET_REMOVED_DAEMON_CUTOFF);
	rule(e, FAR, ET_REMOVED_TWO_SIGMA);
	et_program_judge(&e->commands[0], &p);
	expect(&p.by[ET_WAY_ORG], all, 2000000, "ORG, elapsed time of every run");
	expect(&p.by[ET_WAY_CPU], all, 0, "CPU time of every run");
	expect(&p.by[ET_WAY_SEDONA], first, 0, "SEDONA, CPU time of the runs that check I keeps");
	expect(&p.by[ET_WAY_EMP], both, 0, "EMP, CPU time of the runs that both checks keep");
	ok(p.kept.removed == 3, "EMP: three runs are removed");
	ok(p.by[ET_WAY_ORG].min == (double)(cpu_ns_of(0) + 2000000) &&
			p.by[ET_WAY_ORG].max == (double)(cpu_ns_of(BURST) + 2000000),
		"ORG: the disturbed run is the largest");
	et_experiment_free(e);
}

static struct et_program_precision program(double org_sd, double sedona_sd, double mean)
{
	return (struct et_program_precision){
		.by[ET_WAY_ORG] = { .n = 10, .sd = org_sd, .relative_error = org_sd / mean },
		.by[ET_WAY_CPU] = { .n = 10, .sd = 1, .relative_error = 1 / mean },
		.by[ET_WAY_SEDONA] = { .n = 10,
			.sd = sedona_sd,
			.relative_error = sedona_sd / mean },
		.by[ET_WAY_EMP] = { .n = 10, .sd = 2, .relative_error = 2 / mean },
	};
}

static void test_averages(void)
{
	/* Suh 2017, Table 3: standard deviations (ms) of 29 programs by ORG and by SEDONA. */
	static const double sds[][2] = { { 3, 2 }, { 1185, 1161 }, { 138, 96 }, { 46, 19 },
		{ 965, 876 }, { 623, 600 }, { 743, 725 }, { 75, 7 }, { 947, 900 }, { 3914, 3843 },
		{ 1492, 1475 }, { 294, 281 }, { 91, 28 }, { 150, 108 }, { 99, 91 }, { 623, 582 },
		{ 678, 627 }, { 85, 50 }, { 542, 513 }, { 2143, 2132 }, { 3326, 3274 },
		{ 601, 563 }, { 883, 797 }, { 143, 94 }, { 2114, 2072 }, { 359, 317 },
		{ 2436, 2392 }, { 0.6, 0.6 }, { 0.8, 0.6 } };
	struct et_program_precision list[ET_LENGTH(sds) + 1];
	struct et_program_averages a;

	for (size_t i = 0; i < ET_LENGTH(sds); i++)
		list[i] = program(sds[i][0], sds[i][1], 1e5);
	list[ET_LENGTH(sds)] = program(1e9, NAN, 1e5);
	et_programs_average(list, ET_LENGTH(list), &a);
	ok(lround(a.sd[ET_WAY_ORG]) == 852 && lround(a.sd[ET_WAY_SEDONA]) == 815,
		"averages: the published sds give the published averages, 852 and 815 ms");
	near(a.relative_error[ET_WAY_ORG], a.sd[ET_WAY_ORG] / 1e5, 1e-12, 0,
		"averages: the relative error is averaged over the programs");
	near(a.relative_error[ET_WAY_SEDONA], a.sd[ET_WAY_SEDONA] / 1e5, 1e-12, 0,
		"averages: a program without a figure by SEDONA does not count for ORG");
	near(a.sd[ET_WAY_CPU] + 10 * a.sd[ET_WAY_EMP], 21, 1e-12, 0,
		"averages: CPU time and EMP have their own");
	et_programs_average(list, 0, &a);
	ok(isnan(a.sd[ET_WAY_ORG]) && isnan(a.relative_error[ET_WAY_SEDONA]),
		"averages: no programs have none");
}

int main(void)
{
	test_counted();
	test_program();
	test_averages();
	test_few();
	return tap_done();
}
