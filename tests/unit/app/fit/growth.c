/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of `etalon fit` about times that follow a known law, and the order of the models. */
#include "app/fit/fit.h"
#include "base/base.h"
#include "tap.h"

enum { SIZES = 7, RUNS = 3 };

static double law_constant(double n)
{
	(void)n;
	return 1e6;
}

static double law_n(double n)
{
	return 5 * n;
}

static double law_n_log(double n)
{
	return 5 * n * log(n);
}

static double law_n2(double n)
{
	return 1e4 + 2 * n * n;
}

static double law_power(double n)
{
	return 3 * pow(n, 1.4);
}

static double law_2n(double n)
{
	return 7 * pow(2, n);
}

static double law_falls(double n)
{
	return 1e9 / n;
}

/* Fits times of a law that are off by a thousandth, up and down. */
static void fit(double (*law)(double), bool small, struct et_points *p, struct et_fit_view *v)
{
	*p = (struct et_points){ .name = (char *)"p", .times = true };
	for (size_t i = 0; i < SIZES; i++) {
		for (size_t k = 0; k < RUNS; k++) {
			double n = small ? (double)(i + 10) : 1000 * pow(2, (double)i);
			et_points_append(p, n, law(n) * (1 + 0.001 * ((double)k - 1)));
		}
	}
	*v = (struct et_fit_view){ .points = p };
	if (et_growth_fit(p->x, p->y, p->n, 0.95, &v->growth))
		tap_bail("it cannot be fitted");
}

static void forget(struct et_points *p, struct et_fit_view *v)
{
	et_growth_free(&v->growth);
	free(p->x);
	free(p->y);
}

static void is_ordered(const struct et_growth *g, const char *label)
{
	enum et_growth_model order[ET_GROWTH_MODELS];
	bool seen[ET_GROWTH_MODELS] = { 0 }, excluded = false, good = true;
	size_t n = 0;

	et_fit_order(g, order);
	for (size_t i = 0; i < ET_GROWTH_MODELS; i++) {
		const struct et_growth_fit *f = &g->fits[order[i]];
		n += !seen[order[i]];
		seen[order[i]] = true;
		good = good && (!excluded || f->excluded);
		excluded = excluded || f->excluded;
		if (i && !f->excluded && order[i] != ET_GROWTH_POWER &&
			order[i - 1] != ET_GROWTH_POWER)
			good = good && g->fits[order[i - 1]].weight >= f->weight;
	}
	ok(n == ET_GROWTH_MODELS && good && order[0] == g->best,
		"order: %s: the best model first, candidates by weight, the others last", label);
}

static void answers(void)
{
	static const struct {
		double (*law)(double);
		bool small;
		enum et_growth_model best;
		double to, ratio; /* of the answer; computed by the law */
		const char *begin;
	} table[] = {
		{ law_constant, false, ET_GROWTH_CONSTANT, 640000, 1, "time does not grow with n" },
		{ law_n, false, ET_GROWTH_N, 640000, 10, "time grows as n (weight" },
		{ law_n_log, false, ET_GROWTH_N_LOG, 640000, 12.08065, "time grows as n log n" },
		{ law_n2, false, ET_GROWTH_N2, 640000, 99.99988, "time grows as n² (weight" },
		{ law_power, false, ET_GROWTH_POWER, 640000, 25.11886, "time grows as n^1.4 " },
		{ law_2n, true, ET_GROWTH_EXP, 17, 2, "time grows as 2ⁿ" },
	};

	for (size_t i = 0; i < ET_LENGTH(table); i++) {
		struct et_fit_view v;
		struct et_points p;

		fit(table[i].law, table[i].small, &p, &v);
		struct et_fit_answer a = et_fit_answer(&v);
		ET_AUTO_FREE char *text = et_fit_sentence(&v);
		const char *name = et_growth_names[table[i].best];
		ok(v.growth.best == table[i].best, "answer: the law %s is found", name);
		near(a.to, table[i].to, 1e-9, 0, "answer: %s: the size that is asked about", name);
		near(a.ratio.value, table[i].ratio, 0.01, 0, "answer: %s: the ratio", name);
		ok(a.ratio.lo <= table[i].ratio && table[i].ratio <= a.ratio.hi,
			"answer: %s: its interval contains the truth", name);
		if (!ok(!strncmp(text, table[i].begin, strlen(table[i].begin)),
			    "answer: %s: the sentence", name))
			printf("# %s\n", text);
		ok(!strstr(text, "an n larger by 1") == !table[i].small,
			"answer: %s: only 2ⁿ is about one more", name);
		is_ordered(&v.growth, name);
		forget(&p, &v);
	}
}

static void objections(void)
{
	struct et_fit_view v;
	struct et_points p;
	char buf[64];

	fit(law_falls, false, &p, &v);
	ET_AUTO_FREE char *text = et_fit_sentence(&v);
	is_str(text, "time falls as n grows, so no model of growth fits",
		"objection: times that fall have no model");
	is_str(et_fit_objection(&v.growth.fits[ET_GROWTH_N], buf), "would need a negative factor",
		"objection: a model that grows is no candidate for them");
	forget(&p, &v);
	fit(law_n2, false, &p, &v);
	is_str(et_fit_objection(&v.growth.fits[ET_GROWTH_N2], buf), "",
		"objection: none to the law");
	is_str(et_fit_objection(&v.growth.fits[ET_GROWTH_N], buf), "lack of fit, p < 0.0001",
		"objection: another model does not fit");
	is_str(et_fit_objection(&v.growth.fits[ET_GROWTH_EXP], buf), "sizes too far apart for 2ⁿ",
		"objection: no time grows by 2ⁿ over these sizes");
	const struct et_growth_fit runs = {
		.rejected = ET_GROWTH_RUNS, .p = NAN, .runs_p = 0.0234
	};
	is_str(et_fit_objection(&runs, buf), "runs of residuals, p = 0.023",
		"objection: without repetitions, by the signs of the residuals");
	is_str(et_fit_name(&v.growth, ET_GROWTH_N_LOG, buf), "n log n",
		"objection: names of models");
	forget(&p, &v);
}

int main(void)
{
	answers();
	objections();
	return tap_done();
}
