/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments that are judged by peak memory: what is decided, in which words, and that no
 * warning is about times. Memory comes in pages, and often does not vary at all.
 */
#include "base/base.h"
#include "base/parse.h"
#include "num/rng.h"
#include "report/pair.h"
#include "stats/compare/judge.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { PAGE = 4096, ROUNDS = 10 };

/* Two commands in solo rounds, of which the second needs `ratio` as much; `pages`: of noise. */
static struct et_experiment *measure(double ratio, uint32_t pages, uint32_t rounds, double equal)
{
	struct et_experiment *e = et_experiment_new();
	struct et_rng rng;

	et_rng_seed(&rng, 7, pages);
	e->protocol = ET_PROTOCOL_CAUSE;
	e->metric = ET_METRIC_PEAK_MEMORY;
	e->metric_auto = false;
	e->plan = (struct et_plan){ .order = ET_ORDER_AUTO, .level = 0.95, .equal_ratio = equal };
	for (int c = 0; c < 2; c++)
		et_experiment_add_command(e, et_strdup(c ? "new" : "old"), et_strv_of("x", NULL));
	for (uint32_t i = 0; i < 2 * rounds; i++) {
		uint64_t base = i % 2 ? (uint64_t)llround(ratio * 4096) : 4096;
		struct et_sample s = { .place = { .command = i % 2,
					       .round = i / 2 + 1,
					       .order = i + 1,
					       .partner = -1,
					       .arrangement = ET_SOLO },
			.measured = { .cpu_ns = 1000000 + i,
				.elapsed_ns = 900000000 + 1000000 * i,
				.max_rss_bytes =
					PAGE * (base + (pages ? et_rng_below(&rng, pages) : 0)) } };
		et_experiment_add(e, &s);
	}
	return e;
}

static struct et_judgement judgement(const struct et_experiment *e)
{
	struct et_judgement j;

	et_judge(e, &j);
	return j;
}

static void says(double ratio, uint32_t pages, double equal, const char *want, const char *label)
{
	struct et_experiment *e = measure(ratio, pages, ROUNDS, equal);
	struct et_judgement j = judgement(e);
	ET_AUTO_FREE char *text = et_verdict_text(&j.contrasts[0], "new", "old");

	is_str(text, want, "%s", label);
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void decides(double ratio, uint32_t pages, double limit, const char *want, const char *label)
{
	struct et_experiment *e = measure(ratio, pages, ROUNDS, 0.01);
	struct et_judgement j = judgement(e);
	ET_AUTO_FREE char *text = et_gate_text(&j.contrasts[0], limit, "new", "old");

	ok(!strncmp(text, want, strlen(want)), "%s: %s", label, text);
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void judged(void)
{
	struct et_experiment *e = measure(1.25, 0, ROUNDS, 0.01);
	struct et_judgement j = judgement(e);
	const struct et_command_result *r = &j.commands[1];
	const struct et_contrast *c = &j.contrasts[0];
	struct et_ratio ratio = et_contrast_ratio(c);
	struct et_contrast widest;
	bool open[2];

	ok(et_result_metric(r) == ET_METRIC_PEAK_MEMORY, "memory: it is what is shown");
	near(et_result_estimate(r)->mean, 5120.0 * PAGE, 0, 0, "memory: the mean is in bytes");
	near(et_result_estimate(r)->expanded_uncertainty, 0, 0, 0,
		"memory: values that do not vary have no uncertainty");
	ok(!j.second, "memory: no time contradicts it");
	ok(!r->warnings.n && !et_result_estimate(r)->warnings.n,
		"memory: no warning is about the times");
	is_str(c->arrangement, "block", "memory: the runs of a round are compared");
	ok(ratio.estimate == 1.25 && ratio.lo == 1.25 && ratio.hi == 1.25 && c->significant,
		"memory: a constant ratio is certain");
	ok(c->p > 0.01 && c->p < 0.011, "memory: p allows for a look after every pair");
	ok(!et_judge_open(e, false, open, &widest), "memory: then the question is decided");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* The first seconds of a comparison that is decided make its interval narrower. */
static void sharpened(void)
{
	struct et_experiment *e = measure(1.5, 800, ROUNDS, 0.01);
	struct et_judgement j = judgement(e);
	struct et_ratio r = et_contrast_ratio(&j.contrasts[0]);
	struct et_contrast widest;
	bool open[2];

	ok(r.lo > 1 && r.hi - r.lo > 0.01, "memory: a difference is clear, and vague: %.3f … %.3f",
		r.lo, r.hi);
	ok(!et_judge_open(e, false, open, &widest) && !open[1],
		"memory: it is decided after the first seconds");
	ok(et_judge_open(e, true, open, &widest) && open[1],
		"memory: it is sampled on in the first seconds");
	e->plan.equal_ratio = r.hi - r.lo + 1e-9;
	ok(!et_judge_open(e, true, open, &widest),
		"memory: until the interval is as narrow as half of the margin to each side");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void of_duets(void)
{
	struct et_experiment *e = measure(1.25, 0, ROUNDS, 0);

	for (size_t c = 0; c < 2; c++) {
		for (uint32_t i = 0; i < e->commands[c].samples.n; i++) {
			struct et_sample *s = et_samples_edit(&e->commands[c].samples, i);
			s->place.arrangement = ET_DUET;
			s->place.order = i + 1;
		}
	}
	struct et_judgement j = judgement(e);
	struct et_ratio r = et_contrast_ratio(&j.contrasts[0]);
	is_str(j.contrasts[0].arrangement, "duet",
		"memory: pairs are compared if there are no solos");
	near(r.estimate, 1.25, 1e-12, 0, "memory: company does not dilute the ratio of pairs");
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	says(1.125, 0, 0, "new uses 12 % more memory than old", "words: more memory");
	says(0.5, 0, 0, "new uses 50 % less memory than old", "words: less memory");
	says(1, 0, 0, "old and new are equal (neither varies)", "words: equal in all runs");
	says(1, 0, 0.01, "old and new are equal (neither varies)",
		"words: equal in all runs, sampled until it is decided");
	says(1, 3, 0.01, "old and new are equal within 1 % (-0.08 % … +0.08 %)",
		"words: equal within the margin if some pages vary");
	says(4, 0, 0.01, "new uses more memory than old: 4.000 × (4.000 … 4.000)",
		"words: a ratio from twice as much");
	decides(1.125, 0, 0.05,
		"REGRESSION: new uses 12.5 % more memory than old (no interval: "
		"neither varies), limit 5 %",
		"gate: a regression of memory");
	decides(1.125, 9, 0.05, "REGRESSION: new uses 12.5", "gate: a regression with noise");
	decides(1, 0, 0, "no regression: new is equal to old (neither varies), limit 0 %",
		"gate: equal memory passes a limit of 0");
	decides(0.9375, 9, 0.05, "no regression: new uses 6.", "gate: less memory passes");
	judged();
	sharpened();
	of_duets();
	return tap_done();
}
