/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The speed of machines against each other: agreement with R where machines lack programs, and what
 * cannot be compared. fleet.c tests intervals, p and the promises about them.
 */
#include "base/base.h"
#include "stats/fleet/fleet.h"
#include "tap.h"

enum { MOST = 9 };

/* Judges against machine 0, which has the ratio 1. n values of each cell, or none. */
static bool judge(const double *const *cells, const size_t *n, size_t machines, size_t programs,
	struct et_machine_speed *out)
{
	struct et_machine_session list[MOST];
	const size_t reference = 0;
	struct et_machines_options o = { .n_machines = machines,
		.n_programs = programs,
		.alpha = 0.05,
		.level = 0.95,
		.reference = &reference };
	size_t k = 0;
	bool between;

	for (size_t i = 0; i < machines * programs; i++) {
		struct et_log_moments m = { .n = n[i] };
		for (size_t j = 0; j < n[i]; j++)
			m.mean += log(cells[i][j]) / (double)n[i];
		if (n[i])
			list[k++] = (struct et_machine_session){ i / programs, i % programs, 1, m };
	}
	return et_machines_judge_sessions(list, k, &o, out, &between) && !between;
}

/*
 * R 4.2.2, of seven series on machines a, b and c, where d has the mean of each:
 *
 *   options(contrasts = c("contr.sum", "contr.poly"))
 *   X <- model.matrix(lm(mean ~ program + machine, d)); H <- solve(t(X) %*% X, t(X)); k <- nrow(H)
 *   W <- rbind(H[k - 1, ], H[k, ], -H[k - 1, ] - H[k, ]); exp(W %*% d$mean)
 */
static void against_r(void)
{
	static const double a1[] = { 100, 104, 101 }, a2[] = { 50, 52 }, b2[] = { 57 };
	static const double b1[] = { 110, 113, 109, 114 }, c2[] = { 49, 51, 50 };
	static const double a3[] = { 70, 72 }, c3[] = { 66, 69, 67 };
	static const double *const cells[] = { a1, a2, a3, b1, b2, NULL, NULL, c2, c3 };
	static const size_t n[] = { 3, 2, 2, 4, 1, 0, 0, 3, 3 }, samples[] = { 7, 5, 6 };
	static const double want[] = { 0.980137282949992, 1.081104693372322, 0.943724734550026 };
	struct et_machine_speed got[3];

	if (!ok(judge(cells, n, 3, 3, got),
		    "machines: shared programs connect machines that lack some"))
		return;
	for (size_t i = 0; i < 3; i++) {
		near(got[i].ratio, want[i] / want[0], 1e-12, 0, "machines: ratio %zu is R's", i);
		ok(got[i].n == samples[i] && isnan(got[i].lo) && !got[i].differs,
			"machines: samples of %zu, and no interval if nothing was measured twice",
			i);
	}
}

/* A program that one machine alone has run changes nothing, but the way of computing. */
static void with_and_without_gaps(void)
{
	static const double x[] = { 100, 104, 101, 55, 52, 53, 110, 113, 109, 57, 58, 59, 99, 98,
		97, 51, 49, 50 };
	const double *whole[6], *gaps[9] = { 0 };
	size_t n[6], n_gaps[9] = { 0 };
	struct et_machine_speed a[3], b[3];

	for (size_t m = 0; m < 3; m++) {
		for (size_t p = 0; p < 2; p++) {
			gaps[3 * m + p] = whole[2 * m + p] = x + 3 * (2 * m + p);
			n_gaps[3 * m + p] = n[2 * m + p] = 3;
		}
	}
	gaps[2] = x;
	n_gaps[2] = 3;
	ok(judge(whole, n, 3, 2, a) && judge(gaps, n_gaps, 3, 3, b),
		"machines: three are compared by two programs");
	for (size_t m = 0; m < 3; m++)
		near(a[m].ratio, b[m].ratio, 1e-12, 0, "machines: ratio %zu is the same", m);
}

static void refused(void)
{
	static const double x[] = { 3, 4 };
	static const double *const cells[] = { x, x, x, x };
	struct et_machine_speed out[2];

	ok(!judge(cells, (const size_t[]){ 2, 0, 0, 2 }, 2, 2, out),
		"machines: without a common program nothing is compared");
	ok(!judge(cells, (const size_t[]){ 2, 0 }, 2, 1, out),
		"machines: a machine without samples is not compared");
	ok(!judge(cells, (const size_t[]){ 2, 0 }, 1, 1, out), "machines: one is no fleet");
	ok(judge(cells, (const size_t[]){ 1, 1 }, 2, 1, out) && isnan(out[1].lo) && !out[1].differs,
		"machines: a ratio of single samples has no interval");
}

int main(void)
{
	against_r();
	with_and_without_gaps();
	refused();
	return tap_done();
}
