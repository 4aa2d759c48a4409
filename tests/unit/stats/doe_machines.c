/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Designed experiments on several machines: components of variance, the machines' speeds, and
 * effects that differ between machines. The answers are those of R 4.2.2 for the runs below, where
 * d has y, l = log(y), the factors a and b, t = interaction(a, b) and the machine m:
 *
 *   s <- anova(lm(l ~ t * m, d)); ms <- s[["Mean Sq"]]; df <- s[["Df"]]
 *   sqrt(c((ms[2] - ms[3]) / 12, (ms[3] - ms[4]) / 3, ms[4]))
 *   nlme::VarCorr(nlme::lme(l ~ t, random = ~ 1 | m/t, d))  # the same by REML: 0.12822, 0.02177,
 *                                                           # 0.02042
 *   anova(lm(l ~ a * b * m, d))                             # F of a:m, b:m and a:b:m
 *   mm <- tapply(d$l, list(d$m, d$t), mean); v <- rowMeans(tapply(d$l, list(d$m, d$t), var)) / 3
 *   T <- diag(3) - 1/3; tr <- sum(v) * (1 - 1/3); TV <- T %*% diag(v)
 *   pf(F, tr^2 / sum(TV * t(TV)), sum(v)^2 / sum(v^2 / 8), lower.tail = FALSE)
 *   exp(rowMeans(mm) - mean(mm))
 */
#include "doe_of.h"
#include "num/rng.h"
#include "stats/doe/program.h"
#include "tap.h"

static const struct et_doe_options options = { .alpha = 0.05, .level = 0.95, .method = -1 };

/* Three machines, 2 × 2 treatments, three runs each. */
static const double runs[36] = { 100, 103, 98, 111, 113, 108, 95, 97, 99, 121, 118, 123, 120, 124,
	121, 135, 131, 133, 116, 113, 118, 148, 151, 146, 92, 90, 95, 107, 110, 106, 87, 89, 86,
	119, 122, 118 };

struct judged {
	struct et_design *design;
	struct et_doe_grid grid;
	struct et_doe_data data;
	struct et_doe_program p;
};

static struct judged begin(const size_t *levels, size_t n)
{
	struct judged j = { .design = doe_design(levels, n), .data = { .machines = true } };

	if (!et_doe_grid_make(j.design, &j.grid))
		tap_bail("the design cannot be analysed");
	return j;
}

static void judge(struct judged *j)
{
	et_doe_data_arrange(&j->data, j->grid.n_cells);
	et_doe_program_judge(&j->grid, &j->data, &options, &j->p);
}

static void end(struct judged *j)
{
	doe_free_program(&j->p);
	et_doe_data_free(&j->data);
	et_doe_grid_free(&j->grid);
	et_design_free(j->design);
}

static void check(const struct et_doe_component *c, double sd, double lo, double hi, double share,
	const char *name)
{
	near(c->sd, sd, 1e-9, 0, "doe machines: the sd %s agrees with R", name);
	near(c->lo, lo, 1e-6, 0, "doe machines: its lower bound %s agrees with R", name);
	near(c->hi, hi, 1e-6, 0, "doe machines: its upper bound %s agrees with R", name);
	near(c->share, share, 1e-9, 0, "doe machines: its share %s agrees with R", name);
}

static void components(const struct et_doe_fleet *f)
{
	check(&f->between, 0.1282211218421828, 0.0662071243663477, 0.8094716081787188,
		0.9485925226413916, "between machines");
	check(&f->interaction, 0.0217742093437493, 0.00956052942212089, 0.05317853434948727,
		0.0273555430358991, "of machine × treatment");
	check(&f->within, 0.0204171316194893, 0.0159422756070214, 0.0284033369067258,
		0.0240519343227093, "within machines");
	ok(f->exact && f->replicated && f->logs, "doe machines: balanced runs are exact");
}

static void effects(const struct et_doe_program *p)
{
	static const double ratio[] = { 0.956355396218734, 1.156266477335898, 0.904321284281095 };
	static const double on[] = { 17.1387644023879, 18.4059646510660, 26.4110132632311 };
	static const double lo[] = { 13.6960351489245, 15.6200116197692, 22.9738707396557 };
	static const double hi[] = { 20.6857399006489, 21.2590473615927, 29.9442245586220 };
	const struct et_doe_over_machines *a = &doe_effect(p, "a")->over;
	const struct et_doe_over_machines *b = &doe_effect(p, "b")->over;

	for (size_t m = 0; m < 3; m++) {
		near(p->fleet->machines[m].ratio, ratio[m], 1e-12, 0,
			"doe machines: the speed of machine %zu agrees with R", m);
		near(a->on[m].percent, on[m], 1e-9, 0,
			"doe machines: the effect on machine %zu agrees with R", m);
		near(a->on[m].lo, lo[m], 1e-9, 0, "doe machines: so does its lower bound %zu", m);
		near(a->on[m].hi, hi[m], 1e-9, 0, "doe machines: so does its upper bound %zu", m);
	}
	near(a->f, 12.2328824880987, 1e-9, 0, "doe machines: F of a:m agrees with R");
	near(a->df, 1.96826846603177, 1e-9, 0, "doe machines: its freedom agrees with R");
	near(a->df2, 23.25033716068765, 1e-9, 0, "doe machines: so does that of the noise");
	near(a->p, 2.47942373733051e-04, 1e-6, 0, "doe machines: p of a:m agrees with R");
	near(b->p, 0.9668201813830472, 1e-6, 0, "doe machines: p of b:m agrees with R");
	ok(a->differs && !b->differs, "doe machines: one effect differs between machines");
	near(a->here.percent, 20.5830812541192, 1e-9, 0, "doe machines: the mean effect here");
	near(a->here.lo, 18.8983212427212, 1e-9, 0, "doe machines: its lower bound");
	near(a->here.hi, 22.2917139011133, 1e-9, 0, "doe machines: its upper bound");
	near(b->here_p, 6.21051635528964e-04, 1e-6, 0, "doe machines: p of b on these machines");
	/* aov(y ~ a * b + Error(m / (a * b)), aggregate(y ~ a + b + m, d, mean)) */
	near(doe_effect(p, "a")->f, 105.20281, 1e-6, 0,
		"doe machines: F for machines like these agrees with R");
	near(doe_effect(p, "b")->p, 0.011761, 1e-4, 0, "doe machines: so does p");
}

static void against_r(void)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t i = 0; i < 36; i++)
		doe_value(&j.data, i / 3 % 4, i / 12, runs[i]);
	judge(&j);
	if (ok(j.p.fleet && j.p.fleet->n_machines == 3, "doe machines: there are three")) {
		components(j.p.fleet);
		effects(&j.p);
	}
	end(&j);
}

/*
 * Three parts of each machine, one run of each treatment in each, with the factors of `shift`; R,
 * where p is the part, and the interval of the first component is that of M and b:
 *   s <- anova(lm(l ~ t * m + p, d))   # mean squares M of m, P of p, I of t:m, W
 *   sqrt(c(M - P - I + W, (P - W) * 3, (I - W) * 4, W * 12) / 12)
 *   b <- P + I - W; df <- b^2 / (P^2 / 6 + I^2 / 6 + W^2 / 18)
 *   u <- tapply(d$l, list(d$m, part), mean); v <- apply(u, 1, var) / 3; w <- diag(3) - 1/3
 *   e <- sqrt(w^2 %*% v); df <- (w^2 %*% v)^2 / (w^4 %*% (v^2 / 2))   # of a machine's level
 * REML finds the same components: 0.13195, 0.02460, 0.02100 and 0.02273 (nlme).
 */
static void parts(void)
{
	static const double shift[] = { 1, 1.02, 0.97, 1.01, 1, 1.03, 0.99, 1.04, 1 };
	static const double ratio[] = { 0.946840272098792, 1.164065919057343, 0.907289122351647 };
	static const double lo[] = { 0.910486425048210, 1.134929146402266, 0.866513722910355 };
	static const double hi[] = { 0.984645653361219, 1.193950713316628, 0.949983283326240 };
	static const double p[] = { 1.94352970383296e-02, 2.09193207554945e-05,
		1.36107069939386e-02 };
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t i = 0; i < 36; i++) {
		uint32_t part = i / 12 * 3 + i % 3;
		doe_value(&j.data, i / 3 % 4, i / 12, runs[i] * shift[part]);
		j.data.runs[i].part = part;
	}
	judge(&j);
	const struct et_doe_fleet *f = j.p.fleet;
	ok(f->parts && f->exact && f->machines[0].n_parts == 3, "doe parts: there are three");
	check(&f->between, 0.1319459068270488, 0.0667711466516619, 0.8374137207323480,
		0.9176409086072201, "between machines with parts");
	check(&f->of_parts, 0.0245993073759653, 0.0122473080219754, 0.0585233226842377,
		0.0318952991710522, "between parts");
	check(&f->interaction, 0.0209975668981884, 0.00540278352071717, 0.05284510308385287,
		0.0232390766790192, "of machine × treatment with parts");
	check(&f->within, 0.0227269530353742, 0.0171727728261608, 0.0336091757792438,
		0.0272247155427085, "within parts");
	for (size_t m = 0; m < 3; m++) {
		const struct et_doe_machine *a = &f->machines[m];
		near(a->ratio, ratio[m], 1e-9, 0, "doe parts: the level of machine %zu", m);
		near(a->lo, lo[m], 1e-6, 0, "doe parts: its lower bound by its parts, %zu", m);
		near(a->hi, hi[m], 1e-6, 0, "doe parts: its upper bound, %zu", m);
		near(a->p_holm, p[m], 1e-6, 0, "doe parts: p agrees with R, %zu", m);
	}
	end(&j);
}

/*
 * One part lacks a run, and one machine has one part only. The noise of the first machine is that
 * of R's summary(lm(l ~ t + p))$sigma.
 */
static void unequal_parts(void)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t i = 0; i < 36; i++) {
		if (i == 4)
			continue;
		doe_value(&j.data, i / 3 % 4, i / 12, runs[i] * (i < 12 && i % 3 == 1 ? 1.3 : 1));
		j.data.runs[j.data.n - 1].part = i < 24 ? i / 12 * 3 + i % 3 : 9;
	}
	judge(&j);
	const struct et_doe_fleet *f = j.p.fleet;
	ok(f->parts && !f->exact && f->machines[2].n_parts == 1,
		"doe parts: unequal parts are an approximation");
	near(f->machines[0].noise, 0.0258075580765522, 1e-9, 0,
		"doe parts: noise is without the differences between parts, if a run lacks");
	ok(isfinite(f->machines[2].lo) && f->machines[2].lo < f->machines[2].ratio,
		"doe parts: a machine with one part has the variation of the others' parts");
	end(&j);
}

/*
 * Of 33 of these runs, R, where n and m are tapply(l, list(m, t), length) and mean:
 *   rest <- sweep(m - rowMeans(m), 2, colMeans(m - rowMeans(m))); both <- sum(rest^2) / 6
 *   sqrt(c(var(rowMeans(m)) - both / 4, both - within * mean(1 / n), within))
 * REML finds 0.12732, 0.02252 and 0.02033 (nlme).
 */
static void unbalanced(void)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t i = 0; i < 36; i++) {
		if (i != 4 && i != 20 && i != 21)
			doe_value(&j.data, i / 3 % 4, i / 12, runs[i]);
	}
	judge(&j);
	near(j.p.fleet->between.sd, 0.1273903487015940, 1e-9, 0,
		"doe machines: unweighted means between machines agree with R");
	near(j.p.fleet->interaction.sd, 0.0218885176143769, 1e-9, 0,
		"doe machines: so they do of machine × treatment");
	near(j.p.fleet->within.sd, 0.0203842984473975, 1e-9, 0,
		"doe machines: and within machines");
	ok(!j.p.fleet->exact, "doe machines: unequal numbers of runs are an approximation");
	end(&j);
}

/* A machine without runs of one treatment, runs that failed, one run each, and values of 0. */
static void incomplete(void)
{
	struct judged j = begin((size_t[]){ 2, 2 }, 2);

	for (uint32_t i = 0; i < 36; i++) {
		if (i / 3 != 11 && i != 4)
			doe_value(&j.data, i / 3 % 4, i / 12, runs[i]);
	}
	judge(&j);
	ok(j.p.fleet && j.p.fleet->n_machines == 2 && j.p.fleet->n_left_out == 1,
		"doe machines: a machine that lacks a treatment is left out");
	end(&j);

	j = begin((size_t[]){ 2, 2 }, 2);
	for (uint32_t i = 0; i < 36; i += 3)
		doe_value(&j.data, i / 3 % 4, i / 12, runs[i]);
	judge(&j);
	ok(!j.p.fleet->replicated && isnan(j.p.fleet->interaction.sd) && j.p.fleet->within.sd > 0,
		"doe machines: with one run each the interaction is part of the noise");
	ok(isnan(j.p.effects[0].over.p) && !j.p.effects[0].over.differs,
		"doe machines: then no difference between machines is tested");
	end(&j);

	j = begin((size_t[]){ 2 }, 1);
	for (uint32_t i = 0; i < 12; i++)
		doe_value(&j.data, i % 2, i / 6, i == 0 ? 0 : runs[i]);
	judge(&j);
	ok(j.p.fleet && !j.p.fleet->logs && isfinite(j.p.fleet->within.sd),
		"doe machines: values of 0 are analysed without logarithms");
	end(&j);
}

struct promise {
	double between, interaction, differs;
};

/* True components: 8 % between machines, `interaction`, and 2 % within (unequal: 1 and 3 %). */
static struct promise simulate(
	const size_t levels[2], size_t machines, double interaction, bool unequal)
{
	enum { TIMES = 600, RUNS = 4 };
	uint32_t cells = (uint32_t)(levels[0] * levels[1]);
	struct promise s = { 0 };
	struct et_rng rng;

	et_rng_seed(&rng, 5, machines);
	for (int t = 0; t < TIMES; t++) {
		struct judged j = begin(levels, 2);
		for (uint32_t m = 0; m < machines; m++) {
			double level = 0.08 * et_rng_normal(&rng);
			double noise = unequal ? m % 2 ? 0.01 : 0.03 : 0.02;
			for (uint32_t c = 0; c < cells; c++) {
				double own = level + interaction * et_rng_normal(&rng);
				for (int r = 0; r < RUNS; r++)
					doe_value(&j.data, c, m,
						exp(own + 0.1 * (c % 2) +
							noise * et_rng_normal(&rng)));
			}
		}
		judge(&j);
		const struct et_doe_fleet *f = j.p.fleet;
		bool any = false;
		for (size_t i = 0; i < j.p.n_effects; i++)
			any = any || j.p.effects[i].over.differs;
		s.between += (f->between.lo <= 0.08 && f->between.hi >= 0.08) / (double)TIMES;
		s.interaction +=
			(f->interaction.lo <= interaction && f->interaction.hi >= interaction) /
			(double)TIMES;
		s.differs += any / (double)TIMES;
		end(&j);
	}
	return s;
}

static void promises(void)
{
	static const size_t machines[] = { 2, 3, 5, 10 }, two[] = { 2, 2 }, three[] = { 2, 3 };

	for (size_t i = 0; i < 4; i++) {
		struct promise s = simulate(two, machines[i], 0.02, false);
		ok(s.between > 0.925,
			"doe machines: the interval between %zu machines covers in 95 %% (%.1f %%)",
			machines[i], 100 * s.between);
		ok(s.interaction > 0.925,
			"doe machines: that of machine × treatment, too, with %zu (%.1f %%)",
			machines[i], 100 * s.interaction);
		s = simulate(two, machines[i], 0, false);
		ok(s.differs < 0.075,
			"doe machines: equal effects on %zu machines differ in 5 %% (%.1f %%)",
			machines[i], 100 * s.differs);
		s = simulate(two, machines[i], 0, true);
		ok(s.differs < 0.075,
			"doe machines: so they do if %zu machines are unequally noisy (%.1f %%)",
			machines[i], 100 * s.differs);
	}
	struct promise s = simulate(three, 3, 0, true);
	ok(s.differs < 0.075, "doe machines: so they do with three levels (%.1f %%)",
		100 * s.differs);
}

int main(void)
{
	against_r();
	parts();
	unequal_parts();
	unbalanced();
	incomplete();
	promises();
	return tap_done();
}
