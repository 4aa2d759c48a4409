/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The analysis of designed experiments. Balanced designs are compared with R in the oracle
 * (factorial); here are designs with unequal numbers of values, missing cells, blocks and
 * fractions. R's answers are those of R 4.2.2: drop1(aov(...), .~., test = "F") with contr.sum.
 */
#include "doe_of.h"
#include "num/student.h"
#include "profile_of.h"
#include "stats/compare/two_sample.h"
#include "tap.h"

static const struct et_doe_options by_anova = {
	.alpha = 0.05, .level = 0.95, .method = ET_DOE_ANOVA
};

/* A design with its values, and the program's results. */
struct judged {
	struct et_design *design;
	struct et_doe_grid grid;
	struct et_doe_data data;
	struct et_doe_program p;
};

static struct judged begin(const size_t *levels, size_t n)
{
	struct judged j = { .design = doe_design(levels, n) };

	if (!et_doe_grid_make(j.design, &j.grid))
		tap_bail("the design cannot be analysed");
	return j;
}

static void judge(struct judged *j, const struct et_doe_options *o)
{
	j->grid.design = j->design;
	et_doe_data_arrange(&j->data, j->grid.n_cells);
	et_doe_program_judge(&j->grid, &j->data, o, &j->p);
}

static void end(struct judged *j)
{
	doe_free_program(&j->p);
	et_doe_data_free(&j->data);
	et_doe_grid_free(&j->grid);
	et_design_free(j->design);
}

/* Values of a cell. */
static void add(struct judged *j, uint32_t cell, const double *y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		doe_value(&j->data, cell, 0, y[i]);
}

static void check_term(const struct judged *j, const char *term, double ss, double f, double p)
{
	const struct et_doe_effect *e = doe_effect(&j->p, term);

	if (!ok(e != NULL, "doe: there is a term %s", term))
		return;
	near(e->sum_squares, ss, 1e-9, 0, "doe: the sum of squares of %s agrees with R", term);
	near(e->f, f, 1e-6, 0, "doe: F of %s agrees with R", term);
	near(e->p, p, 1e-4, 0, "doe: p of %s agrees with R", term);
}

static void unbalanced(void)
{
	struct judged j = begin((size_t[]){ 3, 2 }, 2);
	static const double y[][3] = { { 101, 104, 99 }, { 120, 118 }, { 133, 139, 131 },
		{ 98, 97 }, { 125, 129, 122 }, { 150, 147 } };
	static const size_t n[] = { 3, 2, 3, 2, 3, 2 };

	for (uint32_t c = 0; c < 6; c++)
		add(&j, c, y[c], n[c]);
	judge(&j, &by_anova);
	ok(!j.p.balanced, "doe: unequal numbers of values are not balanced");
	check_term(&j, "a", 4243.4, 241.71265822785, 1.5085e-08);
	check_term(&j, "b", 111.111111111111, 12.6582278481, 0.006140);
	check_term(&j, "a:b", 195.488888888889, 11.1354430380, 0.003681);
	near(j.p.ss_residual, 79, 1e-12, 0, "doe: the residuals agree with R");
	near(j.p.df_residual, 9, 0, 0, "doe: the residuals have n - cells degrees of freedom");
	end(&j);
}

static void missing_cell(void)
{
	struct judged j = begin((size_t[]){ 2, 2, 2 }, 3);
	static const double y[7][3] = { { 10, 12, 11 }, { 20, 21, 19 }, { 15, 14, 17 },
		{ 26, 25, 29 }, { 9, 8, 10 }, { 22, 20, 21 }, { 12, 13, 11 } };

	for (uint32_t c = 0; c < 7; c++)
		add(&j, c, y[c], 3);
	judge(&j, &by_anova);
	ok(!doe_effect(&j.p, "a:b:c"), "doe: a missing cell drops the highest interaction");
	near((double)j.p.n_effects, 6, 0, 0, "doe: a missing cell keeps all other terms");
	check_term(&j, "a", 408.333333333333, 245, 2.8937e-10);
	check_term(&j, "b", 70.0833333333333, 42.05, 1.4379e-05);
	check_term(&j, "c", 4.08333333333333, 2.45, 0.13984);
	check_term(&j, "a:c", 6.75, 4.05, 0.06382);
	near(doe_effect(&j.p, "a")->effect, 11.6666666666667, 1e-12, 0,
		"doe: the effect without a cell is twice R's coefficient");
	near(j.p.ss_residual, 23.3333333333333, 1e-12, 0,
		"doe: the residuals without a cell agree with R");
	near(j.p.df_residual, 14, 0, 0, "doe: 21 values less 7 parameters leave 14");
	near((double)j.p.n_failed, 1, 0, 0, "doe: the treatment without a run is counted");
	end(&j);
}

/* Five rounds of a 2² as blocks. */
static const double rounds[] = { 100, 110, 95, 120, 104, 113, 99, 121, 97, 108, 92, 115, 105, 118,
	101, 127, 99, 109, 97, 118 };

static void blocks(void)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t i = 0; i < 20; i++)
		doe_value(&j.data, i % 4, i / 4, rounds[i]);
	judge(&j, &by_anova);
	check_term(&j, "a", 1445, 1020, 5.6040e-13);
	check_term(&j, "b", 24.2, 17.0823529411765, 0.0013879);
	check_term(&j, "a:b", 204.8, 144.564705882353, 4.7316e-08);
	near(j.p.ss_residual, 17, 1e-9, 0, "doe: blocks are not in the residuals");
	near(j.p.df_residual, 12, 0, 0, "doe: blocks take their degrees of freedom");
	end(&j);

	j = begin((size_t[]){ 2, 2 }, 2);
	for (uint32_t i = 0; i < 20; i++) {
		if (i != 6 && i != 17)
			doe_value(&j.data, i % 4, i / 4, rounds[i]);
	}
	judge(&j, &by_anova);
	check_term(&j, "a", 1256.9286713287, 827.65022561936, 5.9973e-11);
	check_term(&j, "b", 16.3132867133, 10.74181504736, 0.0083245);
	check_term(&j, "a:b", 172.4102564103, 113.527041024556, 8.8610e-07);
	near(j.p.ss_residual, 15.1867132867133, 1e-9, 0,
		"doe: incomplete blocks are not in the residuals");
	near(j.p.df_residual, 10, 0, 0, "doe: incomplete blocks take their degrees of freedom");
	near(doe_effect(&j.p, "a")->effect, 2 * 8.618181818181812, 1e-9, 0,
		"doe: the effect in incomplete blocks agrees with R");
	near(doe_effect(&j.p, "a")->lo, 2 * 7.9507076171587272, 1e-9, 0,
		"doe: its lower bound agrees with R");
	near(doe_effect(&j.p, "a")->hi, 2 * 9.285656019204897, 1e-9, 0,
		"doe: its upper bound agrees with R");
	end(&j);
}

/* 2^(4-1) with d = a b c: the eight runs tell apart seven sets of two. */
static void fraction(void)
{
	struct judged j = { .design = et_design_new() };
	uint32_t levels[4];

	for (int f = 0; f < 4; f++)
		doe_factor(j.design, (char[2]){ (char)('a' + f), '\0' }, 2);
	j.design->factors[3].generator = et_strdup("a b c");
	for (uint32_t t = 0; t < 8; t++) {
		for (uint32_t f = 0; f < 3; f++)
			levels[f] = t >> f & 1;
		levels[3] = levels[0] ^ levels[1] ^ levels[2];
		et_design_add_treatment(j.design, levels);
	}
	if (!et_doe_grid_make(j.design, &j.grid))
		tap_bail("the fraction cannot be analysed");
	for (uint32_t t = 0; t < 8; t++) {
		double d = (double)j.design->treatments[t].levels[3];
		double y = 50 + 4 * (t & 1) - 3 * d;
		add(&j, t, (double[]){ y + 0.5, y - 0.5, y }, 3);
	}
	judge(&j, &by_anova);
	near((double)j.p.n_effects, 7, 0, 0, "doe: a half of 2^4 has seven sets of aliases");
	is_str(j.p.effects[3].term, "d", "doe: a set is named by its term of the lowest order");
	is_str(j.p.effects[3].aliases, "a:b:c", "doe: the other terms of a set are listed");
	is_str(j.p.effects[4].term, "a:b",
		"doe: of two terms of the same order the first names it");
	is_str(j.p.effects[4].aliases, "c:d", "doe: its alias is the second");
	near(doe_effect(&j.p, "a")->effect, 4, 1e-12, 0, "doe: the effect of a base factor");
	near(doe_effect(&j.p, "d")->effect, -3, 1e-12, 0, "doe: the effect of a generated factor");
	near(doe_effect(&j.p, "a:b")->effect, 0, 0, 1e-12, "doe: no interaction, no effect");
	near(j.p.ss_residual, 4, 1e-12, 0, "doe: the residuals of a fraction");
	end(&j);
}

/* Four treatments of a 2² with unequal spread; R's answers are computed by their formulas. */
static const double spread[4][4] = { { 101, 104, 99, 103 }, { 120, 118, 131, 109 },
	{ 133, 139, 131, 135 }, { 150, 190, 120, 160 } };

static void variances_apart(void)
{
	struct et_doe_options o = { .alpha = 0.05, .level = 0.95, .method = ET_DOE_WELCH };
	struct judged j = begin((size_t[]){ 2, 2 }, 2);
	const struct et_doe_effect *e;

	for (uint32_t c = 0; c < 4; c++)
		add(&j, c, spread[c], 4);
	judge(&j, &o);
	e = doe_effect(&j.p, "a");
	near(e->effect, 19.125, 1e-12, 0, "doe: Welch's effect is the difference of means");
	near(e->f, 6.2820466947, 1e-9, 0, "doe: Welch's F of one degree of freedom");
	near(e->df2, 3.71258862625, 1e-9, 0, "doe: Satterthwaite's degrees of freedom");
	near(e->p, 0.071127682069, 1e-9, 0, "doe: Welch's p");
	near(e->lo, -2.7233218238, 1e-9, 0, "doe: the lower bound of Welch's interval");
	near(e->hi, 40.9733218238, 1e-9, 0, "doe: the upper bound of Welch's interval");
	near(j.p.residuals.normal_p, 0.00495879104797, 1e-9, 0,
		"doe: few values per treatment are tested together for normality");
	near(j.p.residuals.equal_p, 0.0530510717734, 1e-9, 0,
		"doe: Brown and Forsythe's test agrees with R");
	end(&j);

	j = begin((size_t[]){ 4 }, 1);
	for (uint32_t c = 0; c < 4; c++)
		add(&j, c, spread[c], 4);
	judge(&j, &o);
	e = doe_effect(&j.p, "a");
	near(e->f, 8.77171482243, 1e-9, 0, "doe: F of Brunner, Dette and Munk");
	near(e->df, 1.2057082825, 1e-9, 0, "doe: their first degrees of freedom");
	near(e->df2, 3.71258862625, 1e-9, 0, "doe: their second degrees of freedom");
	near(e->p, 0.0437631966751, 1e-9, 0, "doe: their p");
	near(e->effect, 53.25, 1e-12, 0, "doe: of four levels the effect is the range of means");
	end(&j);
}

static void ranks(void)
{
	struct et_doe_options o = { .alpha = 0.05, .level = 0.95, .method = ET_DOE_RANKS };
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t c = 0; c < 4; c++)
		add(&j, c, spread[c], 4);
	judge(&j, &o);
	/* R's F of aligned ranks; ours is multiplied by 1 - 0.35 sqrt(4 / 16). */
	near(doe_effect(&j.p, "a")->f, 0.825 * 9.216, 1e-9, 0, "doe: F of a's aligned ranks");
	near(doe_effect(&j.p, "b")->f, 0.825 * 14.2475570032573, 1e-9, 0,
		"doe: F of b's aligned ranks");
	near(doe_effect(&j.p, "a:b")->f, 0.825 * 0.3317972350230, 1e-9, 0,
		"doe: F of the interaction's aligned ranks");
	near(doe_effect(&j.p, "a")->effect, 19.125, 1e-12, 0,
		"doe: the effect beside a test of ranks is the difference of means");
	is_str(j.p.why, "as asked", "doe: a method that was asked for needs no other reason");
	end(&j);
}

/* R: aov(y ~ a * b + Error(m / (a * b))). */
static void machines(void)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	j.data.machines = true;
	for (uint32_t i = 0; i < 20; i++)
		doe_value(&j.data, i % 4, i / 4, rounds[i]);
	judge(&j, &by_anova);
	near(doe_effect(&j.p, "a")->f, 525.454545454545, 1e-9, 0,
		"doe: a term is tested against its variation from machine to machine");
	near(doe_effect(&j.p, "a")->p, 2.14580801521e-05, 1e-9, 0, "doe: its p agrees with R");
	near(doe_effect(&j.p, "a")->lo, 14.9409332011, 1e-9, 0, "doe: its interval agrees with R");
	near(doe_effect(&j.p, "a:b")->f, 372.363636363636, 1e-9, 0, "doe: so is the interaction");
	ok(!et_warnings_have(&j.p.warnings, ET_WARN_DOE_FEW_MACHINES),
		"doe: five machines are enough");
	end(&j);

	j = begin((size_t[]){ 2, 2 }, 2);
	j.data.machines = true;
	for (uint32_t i = 0; i < 12; i++)
		doe_value(&j.data, i % 4, i / 4, rounds[i]);
	judge(&j, &by_anova);
	ok(et_warnings_have(&j.p.warnings, ET_WARN_DOE_FEW_MACHINES),
		"doe: three machines raise a warning");
	end(&j);
}

/* --- the choice of the method, and warnings --- */

static const struct et_doe_options automatic = { .alpha = 0.05, .level = 0.95, .method = -1 };

/* Cells of a 2² with `runs` values each: shape(number from 0 to 1) times the cell's spread. */
static struct judged simulated(double (*shape)(double), const double *spreads, uint32_t runs)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t r = 0; r < runs; r++) {
		for (uint32_t c = 0; c < 4; c++) {
			/* the same values in every cell, in another order */
			double at = ((r * 7 + c * 5) % runs + 0.5) / runs;
			doe_value(&j.data, c, 0, 1000 + spreads[c] * shape(at));
		}
	}
	judge(&j, &automatic);
	return j;
}

static double normal(double at)
{
	return et_qnorm(at);
}

static double skewed(double at)
{
	return exp(1.2 * et_qnorm(at));
}

static void choice(void)
{
	static const double equal[] = { 1, 1, 1, 1 }, unequal[] = { 1, 2, 4, 8 };
	struct judged j = simulated(normal, equal, 30);

	ok(j.p.method == ET_DOE_ANOVA, "doe: normal residuals of equal spread call for F tests");
	ok(j.p.warnings.n == 0, "doe: there is nothing to warn of");
	end(&j);
	j = simulated(normal, unequal, 30);
	ok(j.p.method == ET_DOE_WELCH, "doe: unequal spread calls for Welch's tests");
	is_str(j.p.why, "the spread differs between treatments", "doe: the reason is given");
	ok(j.p.residuals.normal_p > 0.05, "doe: unequal spread does not look like a heavy tail");
	end(&j);
	j = simulated(skewed, equal, 30);
	ok(j.p.method == ET_DOE_RANKS, "doe: skewed residuals call for ranks");
	end(&j);
	j = simulated(normal, equal, 6000);
	ok(j.p.residuals.normal_p > 0.05 && j.p.method == ET_DOE_ANOVA,
		"doe: 6000 normal values per treatment look normal");
	end(&j);
	j = simulated(skewed, equal, 6000);
	ok(j.p.residuals.normal_p < 1e-10 && j.p.method == ET_DOE_RANKS,
		"doe: 6000 skewed values per treatment do not");
	end(&j);
}

static void check_warning(
	const double y[4][3], const size_t *n, enum et_warning_code code, const char *label)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t c = 0; c < 4; c++)
		add(&j, c, y[c], n[c]);
	judge(&j, &automatic);
	ok(et_warnings_have(&j.p.warnings, code), "doe: %s", label);
	ok(j.p.warnings.n == 1, "doe: this is the only warning about it");
	end(&j);
}

/* A slow wave below the noise of 4 treatments: in turn it misleads nobody, one by one it may. */
static void dependence(bool sequential, enum et_warning_code code, enum et_severity severity)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	j.data.sequential = sequential;
	for (uint32_t i = 0; i < 120; i++)
		doe_value(&j.data, sequential ? i / 30 : i % 4, 0,
			1000 + 5 * sin(i / 10.0) + (i * 7919 % 101) / 50.0);
	judge(&j, &automatic);
	ok(et_warnings_have(&j.p.warnings, code),
		"doe: successive runs that resemble each other are reported as %s",
		et_warning_rows[code].name);
	ok(et_warning_rows[code].severity == severity, "doe: %s is a %s",
		et_warning_rows[code].name, severity == ET_SEVERITY_NOTE ? "note" : "warning");
	end(&j);
}

static void warnings(void)
{
	static const double noisy[4][3] = { { 10, 12, 11 }, { 20, 21, 19 }, { 15, 14, 17 },
		{ 26, 25, 29 } };
	static const double exact[4][3] = { { 1, 1, 1 }, { 2, 2, 2 }, { 3, 3, 3 }, { 5, 5, 5 } };
	static const double zero[4][3] = { 0 };
	static const size_t three[] = { 3, 3, 3, 3 }, two[] = { 2, 2, 2, 2 },
			    one[] = { 1, 1, 1, 1 };

	check_warning(
		noisy, one, ET_WARN_DOE_NO_REPLICATION, "one run per treatment tests nothing");
	check_warning(noisy, two, ET_WARN_DOE_FEW_RUNS, "two runs per treatment check nothing");
	check_warning(exact, three, ET_WARN_DOE_PERFECT_FIT, "equal runs have no noise");
	check_warning(zero, three, ET_WARN_DOE_CONSTANT, "a response of 0 is constant");
	check_warning(noisy, (size_t[]){ 3, 3, 0, 3 }, ET_WARN_DOE_TREATMENTS_FAILED,
		"a treatment without runs is reported");

	struct judged j = begin((size_t[]){ 2, 2 }, 2);
	for (uint32_t c = 0; c < 4; c++)
		add(&j, c, noisy[c], c ? 3 : 2);
	judge(&j, &automatic);
	ok(et_warnings_have(&j.p.warnings, ET_WARN_DOE_UNBALANCED),
		"doe: unequal numbers of runs are reported");
	end(&j);

	j = begin((size_t[]){ 2, 2 }, 2);
	for (uint32_t i = 0; i < 20; i++) {
		if (i % 4 != 2)
			doe_value(&j.data, i % 4, i / 4, rounds[i]);
	}
	judge(&j, &by_anova);
	ok(et_warnings_have(&j.p.warnings, ET_WARN_DOE_BLOCKS_IGNORED),
		"doe: blocks that a missing treatment keeps in the noise are reported");
	ok(j.p.df_residual == 12, "doe: they take no degrees of freedom");
	end(&j);

	j = begin((size_t[]){ 2, 2 }, 2);
	for (uint32_t i = 0; i < 20; i++)
		doe_value(&j.data, i % 4, i / 4, rounds[i]);
	judge(&j, &by_anova);
	ok(!et_warnings_have(&j.p.warnings, ET_WARN_DOE_BLOCKS_IGNORED),
		"doe: blocks of all treatments are not reported");
	end(&j);

	dependence(false, ET_WARN_DOE_WIDE_INTERVALS, ET_SEVERITY_NOTE);
	dependence(true, ET_WARN_DOE_DEPENDENT, ET_SEVERITY_WARNING);
}

/* The levels 0 and 2 of a, and both of b. R 4.2.2: aov() of the runs. */
static void level_without_runs(void)
{
	static const double y[6][3] = { { 10, 12, 11 }, { 0 }, { 20, 21, 19 }, { 15, 14, 17 },
		{ 0 }, { 26, 25, 29 } };
	struct judged j = begin((size_t[]){ 3, 2 }, 2);

	for (uint32_t c = 0; c < 6; c++)
		add(&j, c, y[c], c % 3 == 1 ? 0 : 3);
	judge(&j, &by_anova);
	check_term(&j, "a", 310.08333333333, 143.11538461538, 2.194792452e-06);
	check_term(&j, "b", 90.75, 41.884615384615, 0.0001937806681);
	check_term(&j, "a:b", 4.0833333333333, 1.8846153846154, 0.2070586448);
	near(j.p.df_residual, 8, 0, 0, "doe: 12 values less 4 means leave 8");
	near(doe_effect(&j.p, "a")->effect, 10.1666666666667, 1e-12, 0,
		"doe: the effect is that of the levels with runs");
	near((double)doe_effect(&j.p, "a")->n_means, 2, 0, 0,
		"doe: two of three levels have means");
	is_str(doe_effect(&j.p, "a")->means[1].levels, "2", "doe: they keep their names");
	is_str(j.p.dropped_levels, "a=1", "doe: the level without runs is named");
	ok(!j.p.not_estimated, "doe: all terms can be estimated from the others");
	ok(et_warnings_have(&j.p.warnings, ET_WARN_DOE_LEVELS_FAILED) && j.p.warnings.n == 1,
		"doe: a warning, and no other, is about the level");
	near((double)j.p.n_cells, 6, 0, 0, "doe: all treatments are listed");
	near((double)j.p.n_failed, 2, 0, 0, "doe: those of the level failed");
	et_doe_pairs(&j.grid, &j.data, &(struct et_doe_response){ 0 }, &by_anova, &j.p);
	near((double)j.p.n_pairs, 6, 0, 0, "doe: the other four are compared with each other");
	end(&j);

	/* One level of b is left: b cannot be estimated. */
	j = begin((size_t[]){ 3, 2 }, 2);
	for (uint32_t c = 0; c < 3; c++)
		add(&j, c, y[c], c == 1 ? 2 : 3);
	judge(&j, &automatic);
	near((double)j.p.n_effects, 1, 0, 0, "doe: the factor with several levels is analysed");
	is_str(j.p.dropped_levels, "b=1", "doe: the failed level of b is named");
	is_str(j.p.not_estimated, "b, a:b", "doe: terms without an effect are named");
	near((double)j.p.n_not_estimated, 2, 0, 0, "doe: they are counted");
	end(&j);
}

/* R 4.2.2: aov() of the same table, written with one decimal. */
static void two_runs(void)
{
	static const double y[4][2] = { { 10.1, 10.1 }, { 10.4, 10.5 }, { 10.1, 10.2 },
		{ 10.9, 10.4 } };
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t c = 0; c < 4; c++)
		add(&j, c, y[c], 2);
	judge(&j, &automatic);
	ok(j.p.method == ET_DOE_ANOVA, "doe: residuals of two runs per treatment choose no ranks");
	is_str(j.p.why, "the residuals cannot be checked", "doe: nor are they said to be normal");
	ok(isnan(j.p.residuals.normal_p) && isnan(j.p.residuals.equal_p),
		"doe: residuals of two runs per treatment are not tested");
	check_term(&j, "a", 0.36125, 10.7037037037, 0.030741310674);
	end(&j);
}

static void no_replication(void)
{
	struct judged j = begin((size_t[]){ 3, 2 }, 2);

	for (uint32_t c = 0; c < 6; c++)
		add(&j, c, (double[]){ 10 + c * c }, 1);
	judge(&j, &automatic);
	ok(et_warnings_have(&j.p.warnings, ET_WARN_DOE_NO_REPLICATION),
		"doe: one run per treatment asks for more");
	near((double)j.p.n_effects, 3, 0, 0, "doe: its effects are estimated");
	for (size_t i = 0; i < j.p.n_effects; i++) {
		const struct et_doe_effect *e = &j.p.effects[i];
		ok(isfinite(e->effect) && isnan(e->lo) && isnan(e->hi) && isnan(e->percent_lo),
			"doe: without replication %s has no interval", e->term);
		ok(isnan(e->f) && isnan(e->p) && isnan(e->p_holm) && !e->significant,
			"doe: without replication %s is not tested", e->term);
		ok(e->n_means && isnan(e->means[0].lo) && isnan(e->means[0].hi),
			"doe: without replication the means of %s have no interval", e->term);
	}
	end(&j);
}

/* --- pairs of treatments --- */

/*
 * Runs that resemble those before them. Compared as two series by themselves they would count as
 * fewer, and no pair would differ. R 4.2.2: shapiro.test, var.test, t.test(var.equal), wilcox.test,
 * p.adjust("holm").
 */
static void pairs_as_published(void)
{
	static const double y[4][12] = {
		{ 98, 99, 101, 102, 104, 105, 107, 108, 109, 111, 112, 114 },
		{ 113, 112, 111, 110, 109, 108, 106, 105, 104, 116, 117, 118 },
		{ 119.5, 118.5, 104.5, 117.5, 116.5, 115.5, 113.5, 112.5, 111.5, 109.5, 108.5,
			107.5 },
		{ 131, 110, 110, 111, 111, 110.5, 112, 112, 113, 113.5, 114, 114 },
	};
	static const double p[] = { 0.0231994463583, 0.00211875961756, 0.00286566029733,
		0.271545674243, 0.24676979312, 0.86234201241 };
	static const double p_holm[] = { 0.0927977854332, 0.0127125577053, 0.0143283014867,
		0.740309379361, 0.740309379361, 0.86234201241 };
	struct judged j = begin((size_t[]){ 2, 2 }, 2);
	struct et_contrast alone = { .level = 0.95 };

	for (uint32_t c = 0; c < 4; c++)
		add(&j, c, y[c], 12);
	judge(&j, &automatic);
	et_doe_pairs(&j.grid, &j.data, &(struct et_doe_response){ 0 }, &automatic, &j.p);
	near((double)j.p.n_pairs, 6, 0, 0, "doe: four treatments have six pairs");
	for (size_t i = 0; i < j.p.n_pairs; i++) {
		const struct et_contrast *c = &j.p.pairs[i];
		near(c->p, p[i], 1e-9, 0, "doe: p of pair %zu is that of R", i);
		near(c->p_holm, p_holm[i], 1e-9, 0, "doe: p_holm of pair %zu is that of R", i);
		ok(c->inflation == 1 && !c->warnings.n, "doe: pair %zu keeps all its runs", i);
		if (strcmp(c->method, "student") == 0)
			ok((c->lo > 1 || c->hi < 1) == (c->p < 0.05),
				"doe: interval and test of pair %zu agree", i);
	}
	et_judge_apart(y[0], 12, y[2], 12, true, &alone);
	ok(j.p.pairs[1].significant && alone.p > 0.05,
		"doe: a pair differs that two series by themselves would not");
	et_warnings_free(&alone.warnings);
	end(&j);
}

/* --- Holm's correction --- */

/* M7.2: k equal p-values just below alpha / k, and just above. */
static void holm(void)
{
	enum { K = 28 };
	struct et_contrast pairs[K] = { 0 };
	struct et_doe_effect effects[K] = { 0 };
	struct et_doe_program p = { .pairs = pairs, .n_pairs = K, .effects = effects };

	p.n_effects = K;
	for (int above = 0; above < 2; above++) {
		for (int i = 0; i < K; i++) {
			pairs[i] = (struct et_contrast){ .ratio = 1.1, .mean_ratio = NAN };
			pairs[i].p = effects[i].p = 0.05 / K * (above ? 1 + 1e-9 : 1 - 1e-9);
		}
		et_doe_conclude_pairs(&p, 0.05);
		ET_DOE_HOLM(&p, p, p_holm, significant, 0.05);
		near((double)p.before, K, 0, 0, "doe: all p-values are below alpha");
		near((double)p.after, above ? 0 : K, 0, 0, "doe: equal p-values %s alpha / k %s",
			above ? "above" : "below",
			above ? "stop at the first step" : "pass all steps");
		ok(effects[0].significant == !above && effects[K - 1].significant == !above,
			"doe: so do those of effects");
	}
	/* The first step passes, the second is held against alpha / (k - 1) and stops. */
	for (int i = 0; i < K; i++)
		pairs[i].p = i ? 0.05 / (K - 1) * (1 + 1e-9) : 0.05 / K * (1 - 1e-9);
	et_doe_conclude_pairs(&p, 0.05);
	near((double)p.after, 1, 0, 0, "doe: it and all later ones are not significant");
}

/* --- whole experiments --- */

static struct et_experiment *designed(
	const size_t *levels, size_t n, size_t n_programs, uint32_t runs)
{
	struct et_experiment *e = et_experiment_new();
	uint32_t order = 0;

	e->design = doe_design(levels, n);
	for (size_t p = 0; p < n_programs; p++)
		et_design_add_program(e->design, (char[2]){ (char)('p' + (int)p), '\0' });
	e->design->response = et_strdup("et");
	for (uint32_t t = 0; t < e->design->n_treatments; t++) {
		for (size_t p = 0; p < n_programs; p++)
			et_experiment_add_command(
				e, et_strdup(e->design->treatments[t].name), et_calloc(1, 8));
	}
	for (uint32_t r = 0; r <= runs; r++) {
		for (uint32_t c = 0; c < e->n_commands; c++) {
			order++;
			struct et_sample s = { .place = { .command = c,
						       .order = order,
						       .round = r,
						       .partner = -1,
						       .warmup = r == 0 } };
			uint32_t t = et_design_treatment_of(e->design, c);
			s.measured.elapsed_ns = 1000000 + 30000 * (t & 1) +
						(uint64_t)(r * 7919 + c * 104729) % 5003;
			s.measured.cpu_ns = 1;
			et_experiment_add(e, &s);
		}
	}
	return e;
}

static struct et_experiment *experiment(size_t n_programs, uint32_t runs)
{
	return designed((size_t[]){ 2, 2 }, 2, n_programs, runs);
}

static void many(void)
{
	struct et_experiment *e = designed((size_t[]){ 101 }, 1, 1, 3);
	const struct et_experiment *one = e;
	struct et_doe_result r;
	struct et_error err;

	if (!ok(et_doe_analyse(&one, 1, &automatic, &r, &err) == 0,
		    "doe: 101 treatments are analysed"))
		return;
	ok(r.programs[0].n_pairs == 0 && et_warnings_have(&r.warnings, ET_WARN_DOE_NO_PAIRS),
		"doe: their pairs are not compared, which is reported");
	et_doe_result_free(&r);
	et_experiment_free(e);
}

/* Two machines, of which the second takes twice as long. */
static void several(void)
{
	struct et_experiment *e = experiment(1, 10), *f = experiment(1, 10);
	struct et_doe_result r;
	struct et_error err;

	for (size_t c = 0; c < f->n_commands; c++) {
		for (size_t i = 0; i < f->commands[c].samples.n; i++)
			et_samples_edit(&f->commands[c].samples, i)->measured.elapsed_ns *= 2;
	}
	if (!ok(et_doe_analyse((const struct et_experiment *const[]){ e, f }, 2, &automatic, &r,
			&err) == 0,
		    "doe: experiments of two machines are analysed together"))
		return;
	ok(r.blocked, "doe: machines are blocks");
	near(r.programs[0].effects[0].df2, 1, 0, 0,
		"doe: two machines leave one degree of freedom");
	ok(r.programs[0].pairs[0].significant,
		"doe: pairs are compared without the difference of the machines");
	et_doe_result_free(&r);
	et_experiment_free(e);
	et_experiment_free(f);
}

static void whole(void)
{
	struct et_experiment *e = experiment(2, 30);
	const struct et_experiment *one = e;
	struct et_doe_options o = { .alpha = 0.05, .level = 0.95, .method = -1 };
	struct et_doe_result r;
	struct et_error err;

	if (!ok(et_doe_analyse(&one, 1, &o, &r, &err) == 0, "doe: an experiment is analysed"))
		return;
	near((double)r.n_programs, 2, 0, 0, "doe: there is a result per program");
	is_str(r.programs[1].name, "q", "doe: a program has its name");
	near((double)r.programs[0].n, 120, 0, 0, "doe: warm-up runs do not count");
	ok(r.metric == ET_METRIC_ELAPSED && r.unit == ET_UNIT_NS,
		"doe: the response is the metric of the plan");
	ok(doe_effect(&r.programs[0], "a")->significant, "doe: a true effect is found");
	near(doe_effect(&r.programs[0], "a")->percent, 3, 0, 0.1, "doe: an effect in percent");
	ok(!doe_effect(&r.programs[0], "b")->significant, "doe: no effect, no finding");
	near((double)r.programs[0].n_pairs, 6, 0, 0, "doe: four treatments make six pairs");
	near((double)r.programs[0].after, 4, 0, 0, "doe: four pairs differ");
	near((double)r.programs[0].pairs[0].family, 6, 0, 0,
		"doe: the family is the pairs of one program");
	near((double)r.n_pairs, 6, 0, 0, "doe: pairs are counted over programs");
	near((double)r.pairs[0].after, 2, 0, 0, "doe: the first pair differs in both programs");
	near((double)(r.pairs[0].student + r.pairs[0].welch + r.pairs[0].wilcoxon), 2, 0, 0,
		"doe: each program judged the pair by a test");
	et_doe_result_free(&r);
	et_experiment_free(e);
}

/*
 * The response is the time in one function: samples in it times their distance. Functions of the
 * same name count together, others do not count. Factor a adds 3 samples, b none.
 */
static void of_function(void)
{
	struct et_experiment *e = profile_of(4);
	const struct et_experiment *one = e;
	uint32_t f[] = { et_profile_function_of(e->profile, "hot", "a.out", ET_SPACE_USER, false),
		et_profile_function_of(e->profile, "hot", "lib.so", ET_SPACE_USER, false),
		et_profile_function_of(e->profile, "hotter", "a.out", ET_SPACE_USER, false) };
	uint32_t node[3];
	struct et_doe_result r;
	struct et_error err;

	for (size_t i = 0; i < ET_LENGTH(f); i++)
		node[i] = et_profile_node_of(e->profile, 0, f[i]);
	e->design = doe_design((size_t[]){ 2, 2 }, 2);
	et_design_add_program(e->design, "p");
	e->design->response = et_strdup("profile:hot");
	for (uint32_t round = 1; round <= 10; round++) {
		for (uint32_t c = 0; c < 4; c++) {
			struct et_profile_run run = profile_run();
			et_profile_run_add(&run, node[0], 20 + round % 3, 0);
			et_profile_run_add(&run, node[1], 5 + 3 * (c & 1), 0);
			et_profile_run_add(&run, node[2], 100 * (c + 1), 0);
			profile_add(e, c, round, &run);
		}
	}
	if (!ok(et_doe_analyse(&one, 1, &by_anova, &r, &err) == 0,
		    "doe: the time in a function is a response"))
		return;
	ok(r.unit == ET_UNIT_NS, "doe: the response of a function is a time");
	near(r.programs[0].cells[0].n, 10, 0, 0, "doe: each profiled run counts");
	near(r.programs[0].mean, 27.5e6, 1e-12, 0,
		"doe: its mean is that of the samples in functions of this name");
	near(doe_effect(&r.programs[0], "a")->effect, 3e6, 1e-9, 0,
		"doe: its effect is 3 samples of 1 ms");
	near(doe_effect(&r.programs[0], "b")->effect, 0, 0, 1e-6, "doe: b does not move it");
	et_doe_result_free(&r);
	et_experiment_free(e);
}

static void refused(void)
{
	struct et_experiment *e = et_experiment_new(), *f = experiment(1, 3);
	struct et_experiment *g = experiment(2, 3), *empty = experiment(1, 0);
	struct et_doe_options o = { .alpha = 0.05, .level = 0.95, .method = -1 };
	struct et_doe_result r = { 0 };
	struct et_error err = { 0 };

	ok(et_doe_analyse((const struct et_experiment *const[]){ e }, 1, &o, &r, &err) < 0,
		"doe: an experiment without a design is refused (%s)", err.what);
	ok(et_doe_analyse((const struct et_experiment *const[]){ f, g }, 2, &o, &r, &err) < 0,
		"doe: experiments of different designs are refused (%s)", err.what);
	ok(et_doe_analyse((const struct et_experiment *const[]){ empty }, 1, &o, &r, &err) < 0,
		"doe: an experiment without runs is refused (%s)", err.what);
	et_experiment_free(e);
	et_experiment_free(f);
	et_experiment_free(g);
	et_experiment_free(empty);
}

int main(void)
{
	unbalanced();
	missing_cell();
	blocks();
	fraction();
	variances_apart();
	ranks();
	machines();
	choice();
	warnings();
	level_without_runs();
	two_runs();
	no_replication();
	pairs_as_published();
	holm();
	whole();
	many();
	several();
	of_function();
	refused();
	return tap_done();
}
