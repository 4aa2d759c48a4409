/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/clock/view_advice.h"
#include "base/alloc.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "model/experiment/advice.h"
#include "model/experiment/field_rows.h"

#include <math.h>

enum { VALUE_COLUMN = 16 };

/* The CPU is shared if the spinning thread did not have nine tenths of it. */
static const double SHARED = 0.9;

/* --- facts --- */

struct facts {
	struct et_timing_facts timing;
	struct et_length_facts lengths[ET_STRETCH_ROWS];
};

/* The first clock of the list that is sound and, if wanted, cycle-based. */
static const char *sound_clock(const struct et_survey *s, const char *const *names, bool cycles,
	const struct et_timepiece_figures **figures)
{
	for (; *names; names++) {
		const struct et_timepiece_figures *f = et_survey_find_sound(s, *names);
		if (!f || (cycles && f->basis != ET_BASIS_CYCLES) || isnan(f->step))
			continue;
		*figures = f;
		return *names;
	}
	*figures = NULL;
	return NULL;
}

static void find_clock(const struct et_survey *s, struct et_timing_facts *t)
{
	static const char *const counters[] = { "rdtsc", "cntvct_el0", NULL };
	static const char *const clocks[] = { "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW",
		"CLOCK_REALTIME", "gettimeofday", NULL };
	const struct et_timepiece_figures *f = NULL;

	if (et_survey_counter_sound(s) && sound_clock(s, counters, true, &f)) {
		t->clock = "counter";
		t->clock_ns = f->step / s->counter.hz * 1e9 + f->latency_ns;
		return;
	}
	t->clock = sound_clock(s, clocks, true, &f);
	t->clock_ns = f ? f->step + f->latency_ns : NAN;
}

static void find_cpu_clock(const struct et_survey *s, struct et_timing_facts *t)
{
	static const char *const clocks[] = { "CLOCK_PROCESS_CPUTIME_ID", "getrusage", "clock",
		"times", NULL };
	const struct et_timepiece_figures *f;

	t->cpu_clock = sound_clock(s, clocks, false, &f);
	t->cpu_step_ns = f ? f->step : NAN;
	t->cpu_latency_ns = f ? f->latency_ns : NAN;
	t->cpu_ticks = f && f->basis == ET_BASIS_TICKS;
}

static void find_facts(const struct et_survey *s, struct facts *f)
{
	const struct et_timer *timer = &s->timer;
	const struct et_stretches *x = &s->stretches;
	double middle = (timer->doubt_lo_ns + timer->doubt_hi_ns) / 2;
	bool tick = et_survey_has_timer(s), cost = tick && timer->candidates;

	f->timing = (struct et_timing_facts){ .tick_ns = tick ? timer->tick_ns : NAN,
		.timer_ns = timer->candidates ? middle : NAN,
		.timer_doubt = cost ? (timer->doubt_hi_ns - middle) / middle : NAN,
		.cpu_excess = x->ran_ns > 0 ? (x->cpu_ns - x->ran_ns) / x->ran_ns : NAN,
		.lengths = f->lengths,
		.n_lengths = x->n_rows };
	find_clock(s, &f->timing);
	find_cpu_clock(s, &f->timing);
	for (size_t i = 0; i < x->n_rows; i++)
		f->lengths[i] = (struct et_length_facts){ x->rows[i].length_ns / 1e9,
			x->rows[i].fits, x->rows[i].best, x->rows[i].mean };
}

static double share_of(const struct et_stretches *x)
{
	return x->ran_ns / (x->ran_ns + x->lost_ns);
}

/* --- text --- */

#define row(p, label, ...) et_page_row(p, VALUE_COLUMN, label, NULL, __VA_ARGS__)

static void now_text(const struct et_stretches *x, const struct et_page *p)
{
	char a[ET_FIGURE], b[ET_FIGURE], c[ET_FIGURE], d[ET_FIGURE];

	et_format_percent(share_of(x), a);
	et_format_rounded(x->ran_ns + x->lost_ns, 2, b);
	if (x->slice.n)
		row(p, "now",
			"a thread that wants the CPU for %s gets %s of it, in slices of %s "
			"(median; half of them %s … %s)",
			b, a, et_format_rounded(x->slice.median, 2, c),
			et_format_rounded(x->slice.q1, 2, d),
			et_format_rounded(x->slice.q3, 2, (char[ET_FIGURE]){ 0 }));
	else
		row(p, "now", "a thread that wants the CPU for %s gets %s of it, %s", b, a,
			x->preempted ? "and is preempted once" : "and is never preempted");
}

/* "under 3.2 ms", "3.2 ms … 1 s", "above 1 s", "all lengths". */
static char *range(const struct et_advice *a)
{
	char from[ET_FIGURE], to[ET_FIGURE];

	et_format_rounded(1e9 * a->from_s, 2, from);
	et_format_rounded(1e9 * a->to_s, 2, to);
	if (!(a->from_s > 0))
		return isinf(a->to_s) ? et_strdup("all lengths") : et_asprintf("under %s", to);
	if (isinf(a->to_s))
		return et_asprintf("above %s", from);
	return et_asprintf("%s … %s", from, to);
}

void et_clock_advice_text(const struct et_survey *s, const struct et_page *p)
{
	struct et_advice advice[ET_ADVICE_MOST];
	struct facts f;
	char error[ET_FIGURE];

	find_facts(s, &f);
	size_t n = et_advise_all(&f.timing, advice);
	putc('\n', p->out);
	et_page_paragraph(
		p, 0, "", NULL, "how to time a program here, under the present load", "1");
	if (!n) {
		row(p, "now", "not known: the spinning thread was stopped too early");
		return;
	}
	now_text(&s->stretches, p);
	for (size_t i = 0; i < n; i++) {
		const struct et_advice *a = &advice[i];
		ET_AUTO_FREE char *label = range(a);
		ET_AUTO_FREE char *expect =
			isnan(a->error)
				? et_strdup("")
				: et_asprintf(" (expect ± %s)", et_format_percent(a->error, error));
		row(p, label, "%s%s%s%s: %s", a->method, a->clock ? " by " : "",
			a->clock ? a->clock : "", expect, a->why);
	}
	row(p, "",
		"kbest: the fastest run, if the K fastest agree. 'etalon run --protocol auto' "
		"decides by simpler rules, from its own warm-up runs.");
}

/* --- JSON --- */

static const struct et_field stretch_fields[] = {
	ET_KEYS(et_stretches, preempted),
	ET_KEY(et_stretches, "slice_median_ns", slice.median),
	ET_KEY_SPAN(et_stretches, "slice_quartiles_ns", slice.q1, slice.q3),
	ET_KEY_ROOM(et_stretches, "lengths", rows, n_rows,
		ET_TABLE(ET_KEYS(et_stretch_row, length_ns, fits),
			ET_KEY(et_stretch_row, "best_fifth_loses", best),
			ET_KEY(et_stretch_row, "mean_loss", mean)),
		.flat = true),
	{ 0 },
};

static void undisturbed_json(struct et_json *w, const struct et_stretches *x)
{
	if (!x->n_rows) {
		et_json_null(w, "undisturbed");
		return;
	}
	et_json_object(w, "undisturbed");
	et_json_double(w, "spun_s", (x->ran_ns + x->lost_ns) / 1e9);
	et_json_double(w, "share", share_of(x));
	et_json_double(w, "cpu_time_excess", (x->cpu_ns - x->ran_ns) / x->ran_ns);
	et_fields_write(w, stretch_fields, x);
	et_json_end(w);
}

void et_clock_advice_json(struct et_json *w, const struct et_survey *s)
{
	struct et_advice advice[ET_ADVICE_MOST];
	struct facts f;

	find_facts(s, &f);
	size_t n = s->cut_short ? 0 : et_advise_all(&f.timing, advice);
	undisturbed_json(w, &s->stretches);
	et_json_array(w, "advice");
	for (size_t i = 0; i < n; i++) {
		const struct et_advice *a = &advice[i];
		et_json_object(w, NULL);
		et_json_double(w, "from_s", a->from_s);
		et_json_double(w, "to_s", a->to_s);
		et_json_bool(w, "loaded", share_of(&s->stretches) < SHARED);
		et_json_string(w, "method", a->method);
		et_json_string(w, "clock", a->clock);
		et_json_string(w, "protocol", et_protocol_names[a->protocol]);
		et_json_double(w, "expected_error", a->error);
		et_json_string(w, "why", a->why);
		et_json_end(w);
	}
	et_json_end(w);
}
