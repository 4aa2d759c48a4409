/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulations count correctly, are reproducible, and end early on request. */
#include "lab/coverage.h"
#include "lab/false_alarms.h"
#include "tap.h"

struct stop {
	uint64_t after, seen, total;
};

static bool go_on(void *ctx, uint64_t done, uint64_t total)
{
	struct stop *s = ctx;

	s->seen = done;
	s->total = total;
	return done < s->after;
}

static void coverage(void)
{
	struct et_coverage_options o = { .simulation.seed = 4,
		.simulation.repetitions = 3,
		.simulation.replicates = 99,
		.law = et_law_find("normal") };
	struct et_coverage a, b;

	et_coverage_run(&o, &a);
	et_coverage_run(&o, &b);
	ok(a.n_cells == 3 && a.cells[0].n == 10 && a.cells[2].n == 100,
		"coverage: a law is simulated with three sizes");
	ok(!memcmp(a.cells, b.cells, 3 * sizeof(*a.cells)),
		"coverage: the same seed yields the same counts");
	bool counted = true;
	for (int m = 0; m < ET_COVERAGE_METHODS; m++)
		counted = counted && a.cells[1].attained[m].defined == 3 &&
			  a.cells[1].attained[m].covered <= 3;
	ok(counted, "coverage: every interval is counted");
	struct et_coverage_cell alone = a.cells[1];
	et_coverage_free(&b);
	o.n = 30;
	et_coverage_run(&o, &b);
	ok(b.n_cells == 1 && !memcmp(&b.cells[0], &alone, sizeof(alone)),
		"coverage: a case has the same counts alone and among others");
	et_coverage_free(&b);

	struct stop s = { .after = 4 };
	o = (struct et_coverage_options){ .simulation.seed = 4,
		.simulation.repetitions = 3,
		.simulation.replicates = 99,
		.law = et_law_find("normal"),
		.simulation.progress = { go_on, &s } };
	et_coverage_run(&o, &b);
	ok(s.seen == 4 && s.total == 9, "coverage: the simulation ends after 4 of 9 on request");
	ok(b.cells[0].repetitions == 2 && b.cells[1].repetitions == 1,
		"coverage: an ended simulation keeps its counts");
	et_coverage_free(&a);
	et_coverage_free(&b);
}

static void false_alarms(void)
{
	struct stop s = { .after = 5 };
	struct et_false_alarms_options o = {
		.simulation.seed = 4, .simulation.repetitions = 2, .effect = 0.5, .duet_sd = 0.02
	};
	struct et_false_alarms a, b;
	bool found = true;

	et_false_alarms_run(&o, &a);
	et_false_alarms_run(&o, &b);
	ok(!memcmp(a.counts, b.counts, sizeof(a.counts)),
		"false alarms: the same seed yields the same counts");
	for (int load = 0; load < ET_SIMULATED_LOADS; load++) {
		for (size_t size = 0; size < ET_ALARM_SIZES; size++)
			found = found && a.counts[load][ET_JUDGED_DUETS][size].found == 2;
	}
	ok(found, "false alarms: a program slower by 50 %% is always found");
	o.simulation.progress = (struct et_lab_progress){ go_on, &s, NULL };
	et_false_alarms_run(&o, &b);
	ok(b.repetitions[0][0] == 1 && b.repetitions[1][0] == 0,
		"false alarms: the simulation ends early on request");
}

int main(void)
{
	coverage();
	false_alarms();
	return tap_done();
}
