/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/machines.h"
#include "base/alloc.h"
#include "num/cholesky.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/student.h"

#include <math.h>
#include <string.h>

/* The mean of the logarithms of each series, and the variance of that mean. */
struct table {
	size_t machines, programs;
	size_t *count;
	double *mean, *variance;
	double *noise;  /* pooled variance of each machine; NaN: nothing was measured twice */
	double *of;     /* programs: the number of machines that ran it */
	double *center; /* programs: mean over these machines */
};

static size_t count_at(const struct table *t, size_t machine, size_t program)
{
	return t->count[machine * t->programs + program];
}

static struct table table_new(size_t machines, size_t programs)
{
	size_t n = machines * programs;

	return (struct table){ .machines = machines,
		.programs = programs,
		.count = et_calloc(n, sizeof(size_t)),
		.mean = et_calloc(n, sizeof(double)),
		.variance = et_calloc(n, sizeof(double)),
		.noise = et_calloc(machines, sizeof(double)),
		.of = et_calloc(programs, sizeof(double)),
		.center = et_calloc(programs, sizeof(double)) };
}

static void table_free(struct table *t)
{
	free(t->count);
	free(t->mean);
	free(t->variance);
	free(t->noise);
	free(t->of);
	free(t->center);
}

static bool read_cell(struct table *t, size_t at, const struct et_group *cell)
{
	ET_AUTO_FREE double *logs = et_calloc(cell->n + 1, sizeof(*logs));

	for (size_t i = 0; i < cell->n; i++) {
		if (!(cell->x[i] > 0))
			return false;
		logs[i] = log(cell->x[i]);
	}
	t->count[at] = cell->n;
	t->mean[at] = cell->n ? et_mean(logs, cell->n) : 0;
	t->variance[at] = cell->n ? et_variance(logs, cell->n) : 0;
	return true;
}

/* A series of one sample has the variance of the machine's others. */
static void pool(struct table *t, size_t machine)
{
	double *variance = t->variance + machine * t->programs, sum = 0, df = 0;

	for (size_t p = 0; p < t->programs; p++) {
		size_t n = count_at(t, machine, p);
		if (n < 2)
			continue;
		sum += variance[p] * ((double)n - 1);
		df += (double)n - 1;
	}
	t->noise[machine] = sum / df;
	for (size_t p = 0; p < t->programs; p++) {
		size_t n = count_at(t, machine, p);
		variance[p] = (n > 1 ? variance[p] : t->noise[machine]) / (double)n;
	}
}

/* After the cells are filled. */
static void table_finish(struct table *t)
{
	for (size_t i = 0; i < t->machines * t->programs; i++) {
		size_t p = i % t->programs;
		if (!t->count[i])
			continue;
		t->of[p]++;
		t->center[p] += (t->mean[i] - t->center[p]) / t->of[p];
	}
	for (size_t m = 0; m < t->machines; m++)
		pool(t, m);
}

static bool complete(const struct table *t)
{
	for (size_t i = 0; i < t->machines * t->programs; i++) {
		if (!t->count[i])
			return false;
	}
	return true;
}

/* The same as below in closed form, for fleets of a thousand machines. */
static double *inverse_of_complete(const struct table *t)
{
	size_t n = t->machines;
	double each = 1 / (double)t->programs, *out = et_calloc(n * n, sizeof(*out));

	for (size_t i = 0; i < n * n; i++)
		out[i] = (i % (n + 1) == 0 ? each : 0) + (1 - each) / (double)n;
	return out;
}

/*
 * The machines' effects a solve C a = q, the normal equations without the programs: C = diag(r) -
 * N diag(1/c) N', where N says which machine ran which program. C has the null vector 1, so a
 * multiple of 11' is added, which makes the effects' sum 0.
 */
static double *inverse_of(const struct table *t)
{
	size_t n = t->machines;

	if (complete(t))
		return inverse_of_complete(t);
	ET_AUTO_FREE double *c = et_calloc(n * n, sizeof(*c));

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			c[i * n + j] = 1 / (double)n;
			for (size_t p = 0; p < t->programs; p++) {
				if (count_at(t, i, p) && count_at(t, j, p))
					c[i * n + j] += (i == j) - 1 / t->of[p];
			}
		}
	}
	if (!et_cholesky(c, n))
		return NULL;
	double *out = et_calloc(n * n, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		out[i * n + i] = 1;
		et_cholesky_forward(c, n, out + i * n);
		et_cholesky_backward(c, n, out + i * n);
	}
	return out;
}

/* The effect of a machine: the sum of w times the mean of each series. Fills w. */
static double effect_of(const struct table *t, const double *inverse, size_t machine, double *w)
{
	const double *row = inverse + machine * t->machines;
	double sum = 0;

	for (size_t p = 0; p < t->programs; p++) {
		double shared = 0;
		for (size_t m = 0; m < t->machines; m++)
			shared += count_at(t, m, p) ? row[m] / t->of[p] : 0;
		for (size_t m = 0; m < t->machines; m++) {
			size_t at = m * t->programs + p;
			w[at] = count_at(t, m, p) ? row[m] - shared : 0;
			/* Less the program's mean, which the weights remove but for rounding. */
			sum += w[at] * (t->mean[at] - t->center[p]);
		}
	}
	return sum;
}

/* The variance of the sum of w times the means, with Satterthwaite's degrees of freedom. */
static double variance_of(const struct table *t, const double *w, double *df)
{
	double sum = 0, squares = 0;

	for (size_t m = 0; m < t->machines; m++) {
		double of_machine = 0, freedom = 0;
		for (size_t p = 0; p < t->programs; p++) {
			size_t at = m * t->programs + p, n = count_at(t, m, p);
			double part = n ? w[at] * w[at] * t->variance[at] : 0;
			sum += part;
			if (n > 1)
				squares += part * part / ((double)n - 1);
			else
				of_machine += part;
			freedom += n > 1 ? (double)n - 1 : 0;
		}
		if (of_machine > 0)
			squares += of_machine * of_machine / freedom;
	}
	*df = sum * sum / squares;
	return sum;
}

static void judge_one(const struct table *t, const double *inverse, size_t machine, double level,
	struct et_machine_speed *out)
{
	ET_AUTO_FREE double *w = et_calloc(t->machines * t->programs, sizeof(*w));
	double effect = effect_of(t, inverse, machine, w), half;
	double error = sqrt(variance_of(t, w, &out->df));

	half = error > 0 ? error * et_qt(0.5 + level / 2, out->df) : error;
	out->ratio = exp(effect);
	out->lo = exp(effect - half);
	out->hi = exp(effect + half);
	out->noise = sqrt(t->noise[machine]);
	out->p = error > 0 ? et_pt_two_sided(effect / error, out->df) : NAN;
	out->n = 0;
	for (size_t p = 0; p < t->programs; p++)
		out->n += count_at(t, machine, p);
}

static void adjust(struct et_machine_speed *out, size_t n, double alpha)
{
	ET_AUTO_FREE double *p = et_calloc(n, sizeof(*p));

	for (size_t i = 0; i < n; i++)
		p[i] = out[i].p;
	if (n > 2) /* of two machines the one is as fast as the fleet if the other is */
		et_holm(p, n, p);
	for (size_t i = 0; i < n; i++) {
		out[i].p_holm = p[i];
		out[i].differs = p[i] <= alpha;
	}
}

static bool judge(struct table *t, double alpha, double level, struct et_machine_speed *out)
{
	table_finish(t);
	ET_AUTO_FREE double *inverse = inverse_of(t);
	for (size_t m = 0; inverse && m < t->machines; m++)
		judge_one(t, inverse, m, level, &out[m]);
	if (inverse)
		adjust(out, t->machines, alpha);
	return inverse != NULL;
}

bool et_machines_judge(const struct et_group *cells, size_t n_machines, size_t n_programs,
	double alpha, double level, struct et_machine_speed *out)
{
	bool good = true;

	if (n_machines < 2 || !n_programs)
		return false;
	struct table t = table_new(n_machines, n_programs);
	for (size_t i = 0; good && i < n_machines * n_programs; i++)
		good = read_cell(&t, i, &cells[i]);
	good = good && judge(&t, alpha, level, out);
	table_free(&t);
	return good;
}

bool et_machines_judge_moments(const struct et_log_moments *cells, size_t n_machines,
	size_t n_programs, double alpha, double level, struct et_machine_speed *out)
{
	if (n_machines < 2 || !n_programs)
		return false;
	struct table t = table_new(n_machines, n_programs);
	for (size_t i = 0; i < n_machines * n_programs; i++) {
		t.count[i] = cells[i].n;
		t.mean[i] = cells[i].n ? cells[i].mean : 0;
		t.variance[i] = cells[i].n > 1 ? cells[i].variance : 0;
	}
	bool good = judge(&t, alpha, level, out);
	table_free(&t);
	return good;
}

struct et_log_moments et_log_moments_of(size_t n, double mean, double squares)
{
	double spread = n > 1 ? squares / ((double)n - 1) / (mean * mean) : 0;
	double variance = log1p(spread);

	if (!n || !(mean > 0) || !isfinite(spread))
		return (struct et_log_moments){ 0 };
	return (struct et_log_moments){ n, log(mean) - variance / 2, variance };
}

/* Marks all machines that programs connect with this one, and returns their number. */
static size_t mark(const struct et_log_moments *cells, size_t n_machines, size_t n_programs,
	size_t machine, size_t number, size_t *part)
{
	ET_AUTO_FREE size_t *stack = et_calloc(n_machines, sizeof(*stack));
	size_t n = 0, found = 1;

	stack[n++] = machine;
	part[machine] = number;
	while (n) {
		const struct et_log_moments *own = cells + stack[--n] * n_programs;
		for (size_t m = 0; m < n_machines; m++) {
			bool shared = false;
			for (size_t p = 0; !part[m] && !shared && p < n_programs; p++)
				shared = own[p].n && cells[m * n_programs + p].n;
			if (!shared)
				continue;
			part[m] = number;
			stack[n++] = m;
			found++;
		}
	}
	return found;
}

size_t et_machines_connected(
	const struct et_log_moments *cells, size_t n_machines, size_t n_programs, bool *in)
{
	ET_AUTO_FREE size_t *part = et_calloc(n_machines + 1, sizeof(*part));
	size_t most = 0, best = 0;

	for (size_t m = 0; m < n_machines; m++) {
		if (part[m])
			continue;
		size_t n = mark(cells, n_machines, n_programs, m, m + 1, part);
		if (n > most) {
			most = n;
			best = m + 1;
		}
	}
	for (size_t m = 0; m < n_machines; m++)
		in[m] = part[m] == best;
	return most;
}
