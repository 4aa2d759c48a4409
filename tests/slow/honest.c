/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small run of the lab: intervals have their nominal coverage where theory allows it, a warning
 * appears where it does not, and a program is not found to differ from itself. The seeds are fixed,
 * so that the results repeat. The margins are three Monte-Carlo standard deviations, so that
 * another seed would pass as well.
 */
#include "base/base.h"
#include "lab/coverage.h"
#include "lab/false_alarms.h"
#include "simulate.h"
#include "tap.h"

enum { REPETITIONS = 300, PRINTED_REPETITIONS = 400, ALARM_REPETITIONS = 200 };

static double margin(double p, double n)
{
	return 3 * sqrt(p * (1 - p) / n);
}

static int method(enum et_target target, const char *name)
{
	for (int m = 0; m < ET_COVERAGE_METHODS; m++) {
		if (et_coverage_methods[m].target == target &&
			!strcmp(et_coverage_methods[m].name, name))
			return m;
	}
	return -1;
}

static struct et_coverage_cell simulate(const char *law, size_t n, int times)
{
	struct et_coverage_options o = { .simulation.seed = 11,
		.simulation.repetitions = (uint32_t)repetitions(times),
		.simulation.replicates = 499,
		.law = et_law_find(law),
		.n = n };
	struct et_coverage c;

	et_coverage_run(&o, &c);
	struct et_coverage_cell cell = c.cells[0];
	et_coverage_free(&c);
	return cell;
}

/* Without the bootstrap, which `run` does not use. */
static struct et_coverage_cell simulate_printed(const char *law, size_t n)
{
	struct et_coverage_options o = { .simulation.seed = 11,
		.simulation.repetitions = (uint32_t)repetitions(PRINTED_REPETITIONS),
		.law = et_law_find(law),
		.n = n };
	struct et_coverage c;

	et_coverage_run(&o, &c);
	struct et_coverage_cell cell = c.cells[0];
	et_coverage_free(&c);
	return cell;
}

/* A full simulation found a coverage between lo and hi; we allow the Monte-Carlo margin around it.
 */
static void covers(const struct et_coverage_cell *c, enum et_target target, const char *name,
	double lo, double hi)
{
	const struct et_attained *a = &c->attained[method(target, name)];
	double p = (double)a->covered / a->defined;

	ok(p >= lo - margin(lo, a->defined) && p <= hi + margin(hi, a->defined),
		"%s, n = %zu: %s of the %s covers %.1f %%, wanted %.0f to %.0f", c->law->name, c->n,
		name, et_target_names[target], 100 * p, 100 * lo, 100 * hi);
}

/* An interval that cannot have its nominal coverage must rarely miss without a warning. */
static void misses_with_warning(const struct et_coverage_cell *c, double share, const char *by)
{
	int m = !strcmp(by, "describe") ? method(ET_TARGET_MEAN, "student-t")
					: method(ET_TARGET_RUN, by);
	uint32_t silent = c->attained[m].silent;
	double p = (double)silent / c->repetitions;

	ok(p <= share + margin(share, c->repetitions),
		"%s, n = %zu: %s's mean is missed without a warning in %.1f %%, at most %.0f",
		c->law->name, c->n, by, 100 * p, 100 * share);
}

static void allowed(void)
{
	struct et_coverage_cell normal = simulate("normal", 10, REPETITIONS),
				skewed = simulate("lognormal-0.5", 30, REPETITIONS),
				modes = simulate("bimodal", 100, REPETITIONS),
				nist = simulate("nist-10", 1000, 120);

	covers(&normal, ET_TARGET_MEAN, "student-t", 0.93, 0.97);
	covers(&normal, ET_TARGET_MEAN, "bootstrap-t", 0.93, 0.97);
	covers(&normal, ET_TARGET_MEDIAN, "order-statistics", 0.93, 0.98);
	covers(&normal, ET_TARGET_SD, "chi2", 0.93, 0.97);
	covers(&normal, ET_TARGET_PAIRS, "run", 0.93, 0.98);
	covers(&normal, ET_TARGET_SEPARATE, "compare", 0.93, 0.97);
	covers(&skewed, ET_TARGET_MEAN, "bootstrap-t", 0.93, 0.97);
	covers(&skewed, ET_TARGET_MEDIAN, "order-statistics", 0.93, 0.98);
	covers(&skewed, ET_TARGET_PAIRS, "run", 0.93, 0.98);
	covers(&skewed, ET_TARGET_SEPARATE, "compare", 0.93, 0.97);
	covers(&modes, ET_TARGET_MEAN, "bootstrap-t", 0.93, 0.97);
	covers(&modes, ET_TARGET_MEDIAN, "order-statistics", 0.93, 0.98);
	covers(&nist, ET_TARGET_MEAN, "student-t", 0.93, 0.97);
	covers(&nist, ET_TARGET_SD, "bca", 0.93, 0.97);
}

/* The mean as `run` prints it, by default and with --until: no law is missed silently. */
static void printed(void)
{
	static const char *const laws[] = { "normal", "lognormal-0.5", "lognormal-1", "exponential",
		"bimodal", "ar-0.3", "ar-0.6" };

	for (size_t i = 0; i < ET_LENGTH(laws); i++) {
		struct et_coverage_cell c = simulate_printed(laws[i], 30);
		covers(&c, ET_TARGET_RUN, "default", 0.92, 0.98);
		covers(&c, ET_TARGET_RUN, "until", 0.91, 0.98);
		misses_with_warning(&c, 0.07, "default");
		misses_with_warning(&c, 0.07, "until");
	}
	for (size_t n = 10; n <= 100; n *= 10) {
		struct et_coverage_cell c = simulate_printed("normal", n);
		uint32_t warned = c.attained[ET_COVERAGE_OF_RUN].warned;
		ok(warned <= c.repetitions * (0.03 + margin(0.03, c.repetitions)),
			"normal, n = %zu: run warns in %u of %u", n, warned, c.repetitions);
	}
	/* EMP's second check removes the second mode, and says what this did to the mean. */
	struct et_coverage_cell modes = simulate_printed("bimodal", 100);
	covers(&modes, ET_TARGET_RUN, "emp", 0.0, 0.3);
	misses_with_warning(&modes, 0.02, "emp");
}

static void not_allowed(void)
{
	struct et_coverage_cell few = simulate("lognormal-1", 10, REPETITIONS),
				skewed = simulate("lognormal-1", 30, REPETITIONS),
				modes = simulate("bimodal", 10, REPETITIONS),
				dependent = simulate("ar-0.6", 30, REPETITIONS),
				nist = simulate("nist-2", 1000, 120);

	covers(&few, ET_TARGET_MEAN, "student-t", 0.82, 0.87);
	misses_with_warning(&few, 0, "describe");
	misses_with_warning(&modes, 0, "describe");
	misses_with_warning(&skewed, 0.05, "default");
	misses_with_warning(&skewed, 0.05, "describe");
	misses_with_warning(&dependent, 0.06, "default");
	misses_with_warning(&dependent, 0.06, "describe");
	covers(&dependent, ET_TARGET_PAIRS, "run", 0.91, 0.97);
	/* A share of e^-2 of all samples has no outlier, and so no sign that there are any. */
	const struct et_attained *bca = &nist.attained[method(ET_TARGET_SD, "bca")];
	double p = (double)bca->silent / bca->defined;
	ok(p <= 0.135 + margin(0.135, bca->defined),
		"nist-2: the sd is missed without a warning in %.1f %%, at most the samples "
		"without outliers",
		100 * p);
}

static void alarms(void)
{
	struct et_false_alarms_options o = { .simulation.seed = 11,
		.simulation.repetitions = (uint32_t)repetitions(ALARM_REPETITIONS),
		.effect = 0.01,
		.duet_sd = 0.027 };
	struct et_false_alarms f;

	et_false_alarms_run(&o, &f);
	for (int load = 0; load < ET_SIMULATED_LOADS; load++) {
		for (int how = 0; how < ET_JUDGED_SEPARATE; how++) {
			for (size_t s = 0; s < ET_ALARM_SIZES; s++) {
				double p = (double)f.counts[load][how][s].alarms /
					   o.simulation.repetitions;
				ok(p <= 0.05 + margin(0.05, o.simulation.repetitions),
					"%s, %zu %s: %.1f %% false alarms",
					et_simulated_load_names[load], et_alarm_sizes[s],
					et_judged_names[how], 100 * p);
			}
		}
		ok(f.counts[load][ET_JUDGED_SEPARATE][1].alarms > 0.15 * o.simulation.repetitions,
			"%s: Welch on separate series gives many false alarms",
			et_simulated_load_names[load]);
		ok(f.counts[load][ET_JUDGED_DUETS][3].found > 0.95 * o.simulation.repetitions,
			"%s: 300 duets find a difference of 1 %%", et_simulated_load_names[load]);
	}
}

int main(void)
{
	allowed();
	printed();
	not_allowed();
	alarms();
	return tap_done();
}
