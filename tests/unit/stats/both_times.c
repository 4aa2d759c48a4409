/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons by both times, and when the two contradict each other. */
#include "base/base.h"
#include "base/parse.h"
#include "stats/compare/judge.h"
#include "tap.h"

/* Twelve solo runs of two commands in rounds; times in microseconds, and each run a bit apart. */
static struct et_experiment *experiment(const unsigned cpu[2], const unsigned elapsed[2])
{
	struct et_experiment *e = et_experiment_new();

	e->metric_auto = true;
	et_experiment_add_command(e, et_strdup("old"), et_strv_of("true", NULL));
	et_experiment_add_command(e, et_strdup("new"), et_strv_of("true", NULL));
	for (uint32_t i = 0; i < 24; i++) {
		uint32_t c = i % 2, round = i / 2 + 1;
		/* Both are permutations of 0 to 11 over the rounds. */
		uint32_t noise[] = { round * 7 % 12, round * 5 % 12 };
		struct et_sample s = {
			.place = { .command = c, .round = round, .order = i + 1, .partner = -1 },
			.measured = { .on_cpu_ns = ET_UNKNOWN,
				.voluntary_switches = ET_UNKNOWN,
				.cpu_ns = 1000 * cpu[c] + 331 * noise[c],
				.elapsed_ns = 1000 * elapsed[c] + 331 * noise[!c] }
		};
		et_experiment_add(e, &s);
	}
	return e;
}

static void judged(const char *label, const unsigned cpu[2], const unsigned elapsed[2],
	enum et_metric metric, bool contradicted)
{
	struct et_experiment *e = experiment(cpu, elapsed);
	struct et_judgement j;

	et_judge(e, &j);
	ok(j.metric.metric == metric && j.commands[0].metric == metric && j.n_contrasts == 1 &&
			j.contrasts[0].metric == metric,
		"%s: the right time is judged", label);
	ok(j.second && j.second[0].metric != metric && j.second[0].a == 0 && j.second[0].b == 1,
		"%s: the other time is compared, too", label);
	ok(et_judgement_contradicted(&j, 0) == contradicted, "%s: the verdicts %s", label,
		contradicted ? "contradict each other" : "agree");
	if (j.second) {
		double a = metric == ET_METRIC_CPU ? elapsed[0] : cpu[0];
		double b = metric == ET_METRIC_CPU ? elapsed[1] : cpu[1];
		near(j.second[0].ratio, b / a, 0.02, 0, "%s: the ratio of the other time", label);
	}
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void contradictions(void)
{
	static const struct {
		enum et_conclusion judged, other;
		double judged_lo, judged_hi, lo, hi;
		bool expect;
		const char *label;
	} cases[] = {
		{ ET_CONCLUDED_SLOWER, ET_CONCLUDED_SLOWER, 1.1, 1.2, 1.3, 1.4, false,
			"both slower" },
		{ ET_CONCLUDED_SLOWER, ET_CONCLUDED_FASTER, 1.1, 1.2, 0.8, 0.9, true,
			"slower and faster" },
		{ ET_CONCLUDED_SAME, ET_CONCLUDED_SLOWER, 0.9, 1.1, 1.05, 1.2, true,
			"a difference by the other time only" },
		{ ET_CONCLUDED_SLOWER, ET_CONCLUDED_SAME, 1.1, 1.2, 0.9, 1.3, false,
			"an other time that is less precise" },
		{ ET_CONCLUDED_FASTER, ET_CONCLUDED_SAME, 0.52, 0.59, 0.98, 1.09, true,
			"no difference by the other time, surely" },
		{ ET_CONCLUDED_SAME_BY_HOLM, ET_CONCLUDED_SAME, 1.01, 1.2, 0.9, 1.1, false,
			"no difference by either" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct et_contrast a = { .conclusion = cases[i].judged,
			.lo = cases[i].judged_lo,
			.hi = cases[i].judged_hi };
		struct et_contrast b = {
			.conclusion = cases[i].other, .lo = cases[i].lo, .hi = cases[i].hi
		};
		struct et_judgement j = { .contrasts = &a, .second = &b, .n_contrasts = 1 };
		ok(et_judgement_contradicted(&j, 0) == cases[i].expect, "contradiction: %s",
			cases[i].label);
	}
	struct et_contrast alone = { .conclusion = ET_CONCLUDED_SLOWER };
	struct et_judgement j = { .contrasts = &alone, .n_contrasts = 1 };
	ok(!et_judgement_contradicted(&j, 0), "contradiction: none without the other time");
}

int main(void)
{
	judged("serial programs", (unsigned[]){ 10000, 12000 }, (unsigned[]){ 10100, 12100 },
		ET_METRIC_CPU, false);
	judged("a parallel program", (unsigned[]){ 165000, 165000 }, (unsigned[]){ 166000, 88000 },
		ET_METRIC_ELAPSED, true);
	judged("sleeping programs", (unsigned[]){ 1000, 1000 }, (unsigned[]){ 50000, 100000 },
		ET_METRIC_ELAPSED, true);
	contradictions();
	return tap_done();
}
