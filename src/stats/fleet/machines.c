/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/least_squares.h"
#include "num/num.h"
#include "stats/fleet/fleet.h"

/* The mean of the logarithms of each series, of a program on a machine. */
struct table {
	size_t machines, programs;
	size_t *count;
	double *mean;
	double *of;     /* programs: the number of machines that ran it */
	double *center; /* programs: mean over these machines */
	/* Of sessions, if a machine has two; else NULL. */
	const struct et_machine_session *sessions; /* machine after machine */
	size_t n_sessions;                         /* of all programs together */
	size_t *sessions_of;                       /* the number in each series */
	double *between;                           /* variance between sessions of each machine */
	double *own_df;                            /* its freedom; 0: it is that of all machines */
	double all_df;
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
		.of = et_calloc(programs, sizeof(double)),
		.center = et_calloc(programs, sizeof(double)),
		.sessions_of = et_calloc(n, sizeof(size_t)),
		.between = et_calloc(machines, sizeof(double)),
		.own_df = et_calloc(machines, sizeof(double)) };
}

static void table_free(struct table *t)
{
	free(t->count);
	free(t->mean);
	free(t->of);
	free(t->center);
	free(t->sessions_of);
	free(t->between);
	free(t->own_df);
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

/*
 * A contrast of the machines, of which row is the same contrast of the rows of the inverse: the sum
 * of w times the mean of each series. Fills w.
 */
static double contrast_of(const struct table *t, const double *row, double *w)
{
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

/* The programs of a session vary together. */
static double variance_between(const struct table *t, const double *w, double *df)
{
	double sum = 0, squares = 0, common = 0;

	for (size_t i = 0, m; i < t->n_sessions;) {
		double weights = 0;
		for (m = t->sessions[i].machine;
			i < t->n_sessions && t->sessions[i].machine == m;) {
			uint64_t session = t->sessions[i].session;
			double weight = 0;
			for (; i < t->n_sessions && t->sessions[i].machine == m &&
				t->sessions[i].session == session;
				i++) {
				size_t at = m * t->programs + t->sessions[i].program;
				weight += w[at] / (double)t->sessions_of[at];
			}
			weights += weight * weight;
		}
		double part = weights * t->between[m];
		sum += part;
		if (t->own_df[m] > 0)
			squares += part * part / t->own_df[m];
		else
			common += part;
	}
	*df = sum * sum / (squares + common * common / t->all_df);
	return sum;
}

/* Without sessions that repeat a series, no variance is known, and so no interval. */
static void judge_one(
	const struct table *t, const double *row, double level, struct et_machine_speed *out)
{
	ET_AUTO_FREE double *w = et_calloc(t->machines * t->programs, sizeof(*w));
	double effect = contrast_of(t, row, w), df = NAN;
	double error = t->sessions ? sqrt(variance_between(t, w, &df)) : NAN;
	double half = error > 0 ? error * et_qt(0.5 + level / 2, df) : error;

	out->ratio = exp(effect);
	out->lo = exp(effect - half);
	out->hi = exp(effect + half);
	out->p = error > 0 ? et_pt_two_sided(effect / error, df) : NAN;
}

static void adjust(struct et_machine_speed *out, size_t n, double alpha)
{
	ET_AUTO_FREE double *p = et_calloc(n, sizeof(*p));

	for (size_t i = 0; i < n; i++)
		p[i] = out[i].p;
	et_holm(p, n, p);
	for (size_t i = 0; i < n; i++) {
		out[i].p_holm = p[i];
		out[i].differs = p[i] <= alpha;
	}
}

/* Fills the series: a session counts as one value, however many samples it has. */
static void read_sessions(struct table *t, const struct et_machine_session *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = list[i].machine * t->programs + list[i].program;
		const struct et_log_moments *x = &list[i].time;
		if (!x->n)
			continue;
		t->count[at] += x->n;
		t->mean[at] += (x->mean - t->mean[at]) / (double)++t->sessions_of[at];
	}
}

/*
 * The sum of squares of a machine's sessions, from entry *at on, which becomes the first of the
 * next machine. A session deviates by the mean over its programs. *df is exact if all sessions have
 * the same programs, or each has one.
 */
static double squares_of(const struct table *t, const struct et_machine_session *list, size_t n,
	size_t *at, double *df)
{
	size_t i = *at, machine = list[i].machine;
	double squares = 0;

	*df = 0;
	while (i < n && list[i].machine == machine) {
		uint64_t session = list[i].session;
		double deviation = 0, lost = 0, k = 0;
		for (; i < n && list[i].machine == machine && list[i].session == session; i++) {
			size_t cell = machine * t->programs + list[i].program;
			if (!list[i].time.n)
				continue;
			deviation += list[i].time.mean - t->mean[cell];
			lost += 1 / (double)t->sessions_of[cell];
			k++;
		}
		squares += k > 0 ? deviation * deviation / (k * k) : 0;
		*df += k > 0 ? 1 - lost / k : 0;
	}
	*at = i;
	return squares;
}

/*
 * Sets the variances between sessions: that of all machines together, except for one that varies
 * more than the others (F-test, 5 %), which has its own. Without two sessions of a
 * machine, t->sessions stays NULL.
 */
static void compare_sessions(struct table *t, const struct et_machine_session *list, size_t n)
{
	ET_AUTO_FREE double *squares = et_calloc(t->machines, sizeof(*squares));
	ET_AUTO_FREE double *df = et_calloc(t->machines, sizeof(*df));
	double sum = 0, all = 0;

	for (size_t i = 0; i < n;) {
		size_t m = list[i].machine;
		squares[m] = squares_of(t, list, n, &i, &df[m]);
		sum += squares[m];
		all += df[m];
	}
	if (!(all > 0.5))
		return;
	t->sessions = list;
	t->n_sessions = n;
	t->all_df = all;
	for (size_t m = 0; m < t->machines; m++) {
		double others = all - df[m], f;
		t->between[m] = sum / all;
		if (df[m] < 0.5 || others < 0.5)
			continue;
		f = squares[m] / df[m] / ((sum - squares[m]) / others);
		if (!(et_pf_upper(f, df[m], others) < 0.05))
			continue;
		t->between[m] = squares[m] / df[m];
		t->own_df[m] = df[m];
	}
}

struct ranked {
	double effect;
	size_t machine;
};

static int by_effect(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;

	return ET_ORDER(a->effect, b->effect) ?: ET_ORDER(a->machine, b->machine);
}

/* Sorts the machines by their effects, the solution of the normal equations. */
static void rank(const struct table *t, const double *inverse, struct ranked *out)
{
	size_t n = t->machines;
	ET_AUTO_FREE double *q = et_calloc(n, sizeof(*q));

	for (size_t m = 0; m < n; m++) {
		for (size_t p = 0; p < t->programs; p++) {
			if (count_at(t, m, p))
				q[m] += t->mean[m * t->programs + p] - t->center[p];
		}
	}
	for (size_t i = 0; i < n; i++) {
		out[i] = (struct ranked){ 0, i };
		for (size_t m = 0; m < n; m++)
			out[i].effect += inverse[i * n + m] * q[m];
	}
	qsort(out, n, sizeof(*out), by_effect);
}

/* Adds the rows of these machines, each with the weight, to the row. */
static void add_rows(const struct table *t, const double *inverse, const struct ranked *list,
	size_t n, double weight, double *row)
{
	for (size_t i = 0; i < n; i++) {
		const double *from = inverse + list[i].machine * t->machines;
		for (size_t m = 0; m < t->machines; m++)
			row[m] += weight * from[m];
	}
}

/* The one machine that the others are compared with: the middle of three. */
static void judge_middle(const struct table *t, const double *inverse, const struct ranked *order,
	double level, struct et_machine_speed *out)
{
	ET_AUTO_FREE double *row = et_calloc(t->machines, sizeof(*row));

	/* Its difference is 0; the interval is as wide as that from the two others. */
	add_rows(t, inverse, order, 3, -0.5, row);
	add_rows(t, inverse, order + 1, 1, 1.5, row);
	judge_one(t, row, level, out);
	double width = out->hi / out->ratio;
	out->ratio = 1;
	out->lo = 1 / width;
	out->hi = width;
	out->p = isfinite(out->p) ? 1 : NAN;
}

static void judge_against(const struct table *t, const double *inverse,
	const struct et_machines_options *o, struct et_machine_speed *out)
{
	size_t n = t->machines, cut = (n + 1) / 4;
	ET_AUTO_FREE struct ranked *order = et_calloc(n, sizeof(*order));
	ET_AUTO_FREE double *center = et_calloc(n, sizeof(*center));
	ET_AUTO_FREE double *row = et_calloc(n, sizeof(*row));
	struct ranked reference = { 0, o->reference ? *o->reference : 0 };

	rank(t, inverse, order);
	if (o->reference)
		add_rows(t, inverse, &reference, 1, -1, center);
	else
		add_rows(t, inverse, order + cut, n - 2 * cut, -1 / (double)(n - 2 * cut), center);
	for (size_t i = 0; i < n; i++) {
		size_t m = order[i].machine;
		out[m].n = 0;
		for (size_t p = 0; p < t->programs; p++)
			out[m].n += count_at(t, m, p);
		if (o->reference && m == reference.machine) {
			out[m].ratio = 1;
			out[m].lo = out[m].hi = out[m].p = NAN;
			continue;
		}
		if (!o->reference && n == 3 && i == 1) {
			judge_middle(t, inverse, order, o->level, &out[m]);
			continue;
		}
		memcpy(row, center, n * sizeof(*row));
		add_rows(t, inverse, &order[i], 1, 1, row);
		judge_one(t, row, o->level, &out[m]);
	}
	adjust(out, n, o->alpha);
}

bool et_machines_judge_sessions(const struct et_machine_session *list, size_t n,
	const struct et_machines_options *o, struct et_machine_speed *out, bool *between)
{
	if (o->n_machines < 2 || !o->n_programs)
		return false;
	struct table t = table_new(o->n_machines, o->n_programs);
	read_sessions(&t, list, n);
	table_finish(&t);
	compare_sessions(&t, list, n);
	*between = t.sessions != NULL;
	ET_AUTO_FREE double *inverse = inverse_of(&t);
	if (inverse)
		judge_against(&t, inverse, o, out);
	table_free(&t);
	return inverse != NULL;
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
