/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/design/progress.h"
#include "base/doubles.h"

/* The beginning and the duration of a run, to find the usual pause between runs. */
struct span {
	uint64_t began_ns, elapsed_ns;
};

struct reading {
	struct span *spans;
	size_t n, cap;
};

static void take(struct reading *r, struct et_design_cell *c, const struct et_sample *s,
	uint32_t warmup, double *sum_ns, size_t *n)
{
	bool failed = s->ruling.removal.by == ET_REMOVED_FAILED;

	if (failed) {
		c->failed++;
		c->exit_code = s->measured.exit_code;
		c->signal = s->measured.signal;
	} else if (!s->place.warmup) {
		c->done++;
	} else if (c->discarded < warmup) {
		c->discarded++;
	}
	if (s->measured.elapsed_ns == ET_UNKNOWN)
		return;
	if (!failed) {
		*sum_ns += (double)s->measured.elapsed_ns;
		++*n;
	}
	ET_GROW(r->spans, r->n, r->cap);
	r->spans[r->n++] = (struct span){ s->measured.started_wall_ns, s->measured.elapsed_ns };
}

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->began_ns < y->began_ns ? -1 : x->began_ns > y->began_ns;
}

/* The median, which the breaks between sessions do not move. */
static double usual_pause_ns(struct reading *r)
{
	if (r->n < 2)
		return 0;
	ET_AUTO_FREE double *pauses = et_calloc(r->n, sizeof(*pauses));
	qsort(r->spans, r->n, sizeof(*r->spans), by_begin);
	for (size_t i = 1; i < r->n; i++)
		pauses[i - 1] = (double)(r->spans[i].began_ns - r->spans[i - 1].began_ns) -
				(double)r->spans[i - 1].elapsed_ns;
	qsort(pauses, r->n - 1, sizeof(*pauses), et_ascending);
	return fmax(0, pauses[(r->n - 1) / 2]);
}

void et_design_progress_read(const struct et_experiment *e, struct et_design_progress *out)
{
	struct reading r = { 0 };
	size_t n_all = 0;
	double sum_all = 0;
	ET_AUTO_FREE double *means = et_calloc(e->n_commands, sizeof(*means));

	*out = (struct et_design_progress){ .n_cells = e->n_commands,
		.per_cell = e->plan.warmup + e->plan.runs };
	out->cells = et_calloc(e->n_commands, sizeof(*out->cells));
	for (size_t i = 0; i < e->n_commands; i++) {
		struct et_design_cell *c = &out->cells[i];
		double sum = 0;
		size_t n = 0;
		et_for_each_sample(s, &e->commands[i].samples)
			take(&r, c, s, e->plan.warmup, &sum, &n);
		means[i] = n ? sum / (double)n : NAN;
		sum_all += sum;
		n_all += n;
		c->is_failed = c->failed && c->done < e->plan.runs;
		/* Runs count, however many warm-up runs came before them. */
		if (c->done >= e->plan.runs)
			c->discarded = e->plan.warmup;
		out->n_failed += c->is_failed;
		out->done += c->discarded + c->done;
		out->total += out->per_cell;
	}
	double pause = usual_pause_ns(&r), usual = n_all ? sum_all / (double)n_all : NAN;
	for (size_t i = 0; i < e->n_commands; i++) {
		const struct et_design_cell *c = &out->cells[i];
		uint32_t have = c->discarded + c->done;
		if (!c->is_failed && have < out->per_cell)
			out->left_ns += (out->per_cell - have) *
					((isnan(means[i]) ? usual : means[i]) + pause);
	}
	free(r.spans);
}

void et_design_progress_free(struct et_design_progress *p)
{
	free(p->cells);
}
