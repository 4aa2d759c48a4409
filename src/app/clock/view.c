/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/clock/view.h"
#include "base/whole.h"
#include "draw/chart.h"
#include "draw/table.h"
#include "model/experiment/advice.h"
#include "model/experiment/field_rows.h"
#include "report/warning.h"

#define BOLD "1"
#define WARNING "33"

enum { VALUE_COLUMN = 16 };

/* The CPU is shared if the spinning thread did not have nine tenths of it. */
static const double SHARED = 0.9;

/* --- facts for the advice --- */

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

#define row(p, label, style, ...) et_page_row(p, VALUE_COLUMN, label, style, __VA_ARGS__)

static void heading(const struct et_page *p, const char *text)
{
	putc('\n', p->out);
	et_page_paragraph(p, 0, "", NULL, text, BOLD);
}

static void clock_row(
	const struct et_survey *s, const struct et_survey_clock *c, struct et_table *t)
{
	const struct et_timepiece_figures *f = &c->figures;
	char half[ET_FIGURE];

	if (f->error) {
		ET_AUTO_FREE char *why =
			et_asprintf("%-25s not available: %s", c->is->name, strerror(f->error));
		et_table_note(t, 2, "", NULL, why);
		return;
	}
	/* Batches may agree better than this by chance. */
	et_format_rounded(fmax((f->latency_hi_ns - f->latency_lo_ns) / 2, 0.01), 2, half);
	et_table_add(t, "%s\t%s\t%s\t%s\t%s\t%s", c->is->name,
		et_format_rounded(et_survey_step_ns(s, c), 3, ET_BUF),
		et_format_rounded(f->claimed_ns, 3, ET_BUF),
		et_format_rounded(f->latency_ns, 3, ET_BUF), half, c->is->counts);
}

/* Names the clocks of a basis; NULL if there are none. The caller frees it. */
static char *named(const struct et_survey *s, enum et_clock_basis basis)
{
	char *list = NULL;

	for (size_t i = 0; i < s->n_clocks; i++) {
		const struct et_survey_clock *c = &s->clocks[i];
		if (!c->figures.error && c->figures.basis == basis)
			et_append(&list, ", ", "%s", c->is->name);
	}
	return list;
}

/* Interval-based clocks are few; all others that were decided are cycle-based. */
static void basis_text(const struct et_survey *s, const struct et_page *p)
{
	ET_AUTO_FREE char *ticks = named(s, ET_BASIS_TICKS);
	ET_AUTO_FREE char *cycles = named(s, ET_BASIS_CYCLES);
	ET_AUTO_FREE char *undecided = named(s, ET_BASIS_UNDECIDED);

	if (ticks)
		row(p, "interval-based", NULL, "%s: by their steps, they advance only at ticks",
			ticks);
	if (undecided)
		row(p, "undecided", WARNING,
			"%s: their steps do not show whether they count ticks or cycles",
			undecided);
	if (cycles)
		row(p, "cycle-based", NULL, "%s", ticks || undecided ? "all others" : "all");
}

static void clocks_text(const struct et_survey *s, const struct et_page *p)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, ""),
		ET_COLUMN(NUMBER, "step"), ET_COLUMN(NUMBER, "claims"), ET_COLUMN(NUMBER, "costs"),
		ET_COLUMN(NUMBER, "±"), ET_COLUMN(TEXT, "counts") };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };

	et_page_paragraph(p, 0, "", NULL, "clocks", BOLD);
	for (size_t i = 0; i < s->n_clocks; i++)
		clock_row(s, &s->clocks[i], &t);
	et_table_print(&t, p);
	et_page_paragraph(p, 2, "", NULL,
		"step: the smallest difference of two readings; if the clock is finer, the time "
		"between them. claims: the resolution by clock_getres(). costs: the time of one "
		"reading (median of batches) ± half of its 95 % interval. Clocks that count CPU "
		"time stop while other processes run.",
		"2");
	basis_text(s, p);
}

/* "2.593892 GHz ± 0.4 kHz": as many digits as the uncertainty supports. */
static const char *format_hz(double hz, double uncertainty, char buf[ET_FIGURE])
{
	int digits = 7;

	if (uncertainty > 0)
		digits = et_int(ceil(log10(hz / uncertainty))) + 1;
	digits = digits < 4 ? 4 : digits > 10 ? 10 : digits;
	int whole = et_int(floor(log10(hz / 1e6))) + 1;
	snprintf(buf, ET_FIGURE, "%.*f MHz", digits > whole ? digits - whole : 0, hz / 1e6);
	return buf;
}

static void rate_text(const struct et_survey *s, const struct et_page *p)
{
	const struct et_clock_drift *d = &s->drift;

	row(p, "rate", NULL,
		"%s ± %.2g ppm, by a line fitted to %zu readings of it and of CLOCK_MONOTONIC_RAW",
		format_hz(d->hz, d->hz_uncertainty, ET_BUF), 1e6 * d->hz_uncertainty / d->hz,
		s->n_readings);
	if (isfinite(s->hz_by_sleep))
		row(p, "by sleep", NULL,
			"%s (%+.0f ppm), by the counts during a sleep of %s, which ends late",
			format_hz(s->hz_by_sleep, NAN, ET_BUF), 1e6 * (s->hz_by_sleep / d->hz - 1),
			et_format_time((double)s->sleep_ns, ET_BUF));
	row(p, "drift", NULL,
		"%+.2g ± %.2g ppm from the first half of the readings to the second by "
		"CLOCK_MONOTONIC_RAW; %+.2g ± %.2g ppm by CLOCK_MONOTONIC, which NTP adjusts",
		d->raw_ppm, d->raw_ppm_uncertainty, d->monotonic_ppm, d->monotonic_ppm_uncertainty);
}

static void pairs_text(const struct et_survey *s, const struct et_page *p, bool verbose)
{
	struct et_survey_offsets o = et_survey_offsets(s);

	if (!o.compared)
		return;
	row(p, "CPUs", NULL, "%zu compared with CPU %d: their counters differ by at most %s%s",
		o.compared, s->cpu, et_format_rounded(o.worst_ns, 2, ET_BUF),
		o.backwards ? ", and time goes backwards between them"
			    : ", and time never goes backwards between them");
	for (size_t i = 0; verbose && i < s->n_pairs; i++) {
		const struct et_agreement *g = &s->pairs[i];
		if (g->rounds)
			row(p, "", NULL, "CPU %d: %+.0f … %+.0f ns in %u rounds, %u backwards",
				g->far, (double)g->lo / s->counter.hz * 1e9,
				(double)g->hi / s->counter.hz * 1e9, g->rounds, g->backwards);
	}
}

static void counter_text(const struct et_clock_report *r, const struct et_page *p, bool verbose)
{
	const struct et_survey *s = r->survey;

	heading(p, "the counter");
	if (s->counter.name)
		row(p, s->counter.name, NULL, "%s",
			s->counter.invariant
				? "invariant: its rate does not depend on the core's frequency, so "
				  "it counts time, not cycles of the core"
				: "not invariant: its rate changes");
	else
		row(p, "none", WARNING, "%s",
			s->counter_error ? "programs may not read the processor's counter"
					 : "the processor has no counter");
	if (s->counter.name && s->drift_error == 0)
		rate_text(s, p);
	pairs_text(s, p, verbose);
	row(p, "clock source", NULL, "%s: the kernel derives its clocks from it",
		r->host->clocksource);
	if (r->clocksources)
		row(p, "available", NULL, "%s", r->clocksources);
	row(p, "RTC", NULL, "%s", r->rtc ? r->rtc : "none that the kernel knows");
	if (!s->ntp.error)
		row(p, "correction", NULL, "NTP %+.3g ppm, %s, %s", s->ntp.frequency_ppm,
			s->ntp.disciplined ? "adjusted by a daemon" : "no daemon adjusts it",
			s->ntp.synchronised ? "synchronised" : "not synchronised");
}

/* The cost of a timer interrupt, how it is distinguished from other gaps, and the doubt. */
static void cost_text(const struct et_timer *t, const struct et_page *p)
{
	static const char *const by[] = { [ET_TIMER_RECORDS] = "the kernel's records of them",
		[ET_TIMER_COARSE] = "the kernel's coarse clock, which advances in them",
		[ET_TIMER_REGULARITY] = "their regularity alone" };
	char a[ET_FIGURE], b[ET_FIGURE];

	if (!t->candidates) {
		row(p, "costs", WARNING, "not known: no interrupt occurred alone");
		return;
	}
	et_format_rounded(t->doubt_lo_ns, 3, a);
	et_format_rounded(t->doubt_hi_ns, 3, b);
	if (t->candidates > 1) {
		row(p, "costs", WARNING,
			"%s … %s: %zu series of gaps have that interval, and which one is the "
			"timer's is not known; a hypervisor's timer is regular, too. Root can read "
			"the kernel's records.",
			a, b, t->candidates);
		return;
	}
	row(p, "costs", NULL,
		"%s (median of %zu; half of them take %s … %s, the fastest %s), %s of a CPU's "
		"time; distinguished from other gaps by %s",
		et_format_rounded(t->cost.median, 3, ET_BUF), t->cost.n, a, b,
		et_format_rounded(t->cost_ns, 3, ET_BUF),
		et_format_percent(t->cost.median / t->tick_ns, ET_BUF), by[t->source]);
}

static void timer_text(const struct et_clock_report *r, const struct et_page *p)
{
	const struct et_survey *s = r->survey;
	char a[ET_FIGURE], b[ET_FIGURE], told[ET_FIGURE];

	heading(p, "the timer interrupt");
	et_format_rounded((double)r->host->tick_ns, 3, told);
	if (!et_survey_has_timer(s)) {
		row(p, "tick", WARNING, "not found; the kernel reports %s", told);
		return;
	}
	et_format_rounded(s->timer.tick_ns, 3, a);
	if (s->timer.found_ns == s->timer.tick_ns)
		row(p, "tick", NULL,
			"%s, found from the gaps of a spinning thread; the kernel reports %s", a,
			told);
	else if (s->timer.found_ns > 0)
		row(p, "tick", NULL,
			"%s, as the kernel reports, confirmed by gaps at such times; the most "
			"regular gaps are %s apart",
			a, et_format_rounded(s->timer.found_ns, 3, b));
	else
		row(p, "tick", NULL,
			"%s, as the kernel reports, confirmed by gaps at such times, which are too "
			"few to find the tick from them alone",
			a);
	cost_text(&s->timer, p);
}

static void now_text(const struct et_stretches *x, const struct et_page *p)
{
	char a[ET_FIGURE], b[ET_FIGURE];

	et_format_percent(share_of(x), a);
	et_format_rounded(x->ran_ns + x->lost_ns, 2, b);
	if (x->slice.n)
		row(p, "now", NULL,
			"a thread that wants the CPU for %s gets %s of it, in slices of %s "
			"(median; half of them %s … %s)",
			b, a, et_format_rounded(x->slice.median, 2, ET_BUF),
			et_format_rounded(x->slice.q1, 2, ET_BUF),
			et_format_rounded(x->slice.q3, 2, ET_BUF));
	else
		row(p, "now", NULL, "a thread that wants the CPU for %s gets %s of it, %s", b, a,
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
	return isinf(a->to_s) ? et_asprintf("above %s", from) : et_asprintf("%s … %s", from, to);
}

static void advice_text(const struct et_survey *s, const struct et_page *p)
{
	struct et_advice advice[ET_ADVICE_MOST];
	struct facts f;

	find_facts(s, &f);
	size_t n = et_advise_all(&f.timing, advice);
	heading(p, "how to time a program here, under the present load");
	if (!n) {
		row(p, "now", NULL, "not known: the spinning thread was stopped too early");
		return;
	}
	now_text(&s->stretches, p);
	for (size_t i = 0; i < n; i++) {
		const struct et_advice *a = &advice[i];
		ET_AUTO_FREE char *label = range(a);
		ET_AUTO_FREE char *expect = isnan(a->error)
						    ? et_strdup("")
						    : et_asprintf(" (expect ± %s)",
							      et_format_percent(a->error, ET_BUF));
		row(p, label, NULL, "%s%s%s%s: %s", a->method, a->clock ? " by " : "",
			a->clock ? a->clock : "", expect, a->why);
	}
	row(p, "", NULL,
		"kbest: the fastest run, if the K fastest agree. 'etalon run --protocol auto' "
		"decides by simpler rules, from its own warm-up runs.");
}

void et_clock_text(const struct et_clock_report *r, const struct et_page *page, bool verbose)
{
	clocks_text(r->survey, page);
	if (!r->survey->cut_short) {
		counter_text(r, page, verbose);
		timer_text(r, page);
		advice_text(r->survey, page);
	}
	if (r->warnings->n)
		putc('\n', page->out);
	et_warnings_text(page, 2, r->warnings);
}

/* --- JSON --- */

ET_FIELDS(figure_fields,
	ET_KEYS(et_timepiece_figures, claimed_ns, steps, confirmed, backwards, latency_ns),
	ET_KEY_SPAN(et_timepiece_figures, "latency_interval_ns", latency_lo_ns, latency_hi_ns));

static void clock_json(
	struct et_json *w, const struct et_survey *s, const struct et_survey_clock *c)
{
	const struct et_timepiece_figures *f = &c->figures;

	et_json_flat_object(w, NULL);
	et_json_string(w, "name", c->is->name);
	et_json_string(w, "kind", et_clock_kind_name(c->is->kind, f->basis));
	et_json_string(w, "basis", et_clock_basis_names[f->basis]);
	et_json_string(w, "counts", c->is->counts);
	et_json_bool(w, "available", f->error == 0);
	et_json_string(w, "error", f->error ? strerror(f->error) : NULL);
	et_json_double(w, "resolution_ns", et_survey_step_ns(s, c));
	et_fields_write(w, figure_fields, f);
	et_json_end(w);
}

static void counter_json(struct et_json *w, const struct et_survey *s)
{
	bool known = s->drift_error == 0, rated = known && s->counter.name;
	const struct et_clock_drift *d = &s->drift;

	et_json_object(w, "counter");
	et_json_string(w, "name", s->counter.name);
	et_json_bool(w, "sound", et_survey_counter_sound(s));
	et_json_double(w, "hz", rated ? d->hz : NAN);
	et_json_double(w, "hz_uncertainty", rated ? d->hz_uncertainty : NAN);
	et_json_double(w, "hz_monotonic", rated ? d->hz_monotonic : NAN);
	et_json_double(w, "hz_by_sleep", s->hz_by_sleep);
	et_json_double(w, "sleep_s", s->sleep_ns ? (double)s->sleep_ns / 1e9 : NAN);
	et_json_u64(w, "readings", s->n_readings);
	et_json_double(w, "drift_raw_ppm", rated ? d->raw_ppm : NAN);
	et_json_double(w, "drift_raw_uncertainty_ppm", rated ? d->raw_ppm_uncertainty : NAN);
	et_json_double(w, "drift_monotonic_ppm", known ? d->monotonic_ppm : NAN);
	et_json_double(
		w, "drift_monotonic_uncertainty_ppm", known ? d->monotonic_ppm_uncertainty : NAN);
	et_json_end(w);
}

static void pairs_json(struct et_json *w, const struct et_survey *s)
{
	struct et_survey_offsets o = et_survey_offsets(s);
	double ns = s->counter.hz > 0 ? 1e9 / s->counter.hz : NAN;

	et_json_object(w, "agreement");
	et_json_u64(w, "compared", o.compared);
	et_json_double(w, "worst_ns", o.worst_ns);
	et_json_bool(w, "backwards", o.backwards);
	et_json_bool(w, "moves", o.moves);
	et_json_array(w, "pairs");
	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct et_agreement *a = &s->pairs[i];
		et_json_flat_object(w, NULL);
		et_json_int(w, "cpu", a->near);
		et_json_int(w, "other", a->far);
		et_json_u64(w, "rounds", a->rounds);
		et_json_u64(w, "backwards", a->backwards);
		et_json_flat_array(w, "offset_ns");
		et_json_double(w, NULL, a->rounds ? (double)a->lo * ns : NAN);
		et_json_double(w, NULL, a->rounds ? (double)a->hi * ns : NAN);
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

ET_FIELDS(ntp_fields, ET_KEYS(et_ntp, frequency_ppm, offset_ns, max_error_ns, estimated_error_ns,
			      synchronised, disciplined));

static void timer_json(struct et_json *w, const struct et_survey *s)
{
	const struct et_timer *t = &s->timer;
	bool known = et_survey_has_timer(s) && t->candidates > 0, one = known && t->candidates == 1;

	et_json_double(w, "timer_interrupt_min_ns", known ? t->cost_ns : NAN);
	et_json_double(w, "timer_interrupt_median_ns", one ? t->cost.median : NAN);
	et_json_flat_array(w, "timer_interrupt_median_interval_ns");
	et_json_double(w, NULL, one ? t->cost.lo : NAN);
	et_json_double(w, NULL, one ? t->cost.hi : NAN);
	et_json_end(w);
	et_json_flat_array(w, "timer_interrupt_doubt_ns");
	et_json_double(w, NULL, known ? t->doubt_lo_ns : NAN);
	et_json_double(w, NULL, known ? t->doubt_hi_ns : NAN);
	et_json_end(w);
	et_json_string(w, "timer_interrupt_source", et_timer_source_names[t->source]);
	et_json_u64(w, "timer_interrupt_candidates", t->candidates);
	et_json_u64(w, "timer_interrupts", t->interrupts);
}

ET_FIELDS(stretch_fields, ET_KEYS(et_stretches, preempted),
	ET_KEY(et_stretches, "slice_median_ns", slice.median),
	ET_KEY_SPAN(et_stretches, "slice_quartiles_ns", slice.q1, slice.q3),
	ET_KEY_ROOM(et_stretches, "lengths", rows, n_rows,
		ET_TABLE(ET_KEYS(et_stretch_row, length_ns, fits),
			ET_KEY(et_stretch_row, "best_fifth_loses", best),
			ET_KEY(et_stretch_row, "mean_loss", mean)),
		.flat = true));

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

/* Writes the keys "undisturbed" and "advice". */
static void advice_json(struct et_json *w, const struct et_survey *s)
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

/* An array of the words. */
static void clocksources_json(struct et_json *w, const char *names)
{
	et_json_flat_array(w, "clocksources");
	while (names && *names) {
		size_t n = strcspn(names, " ");
		ET_AUTO_FREE char *one = et_strndup(names, n);
		if (n)
			et_json_string(w, NULL, one);
		names += n + (names[n] == ' ');
	}
	et_json_end(w);
}

void et_clock_json(struct et_json *w, const struct et_clock_report *r)
{
	const struct et_survey *s = r->survey;

	et_json_object(w, NULL);
	et_json_int(w, "cpu", s->cpu);
	et_json_u64(w, "cpus", s->cpus);
	et_json_string(w, "clocksource", r->host->clocksource);
	clocksources_json(w, r->clocksources);
	et_json_string(w, "rtc", r->rtc);
	et_json_double(w, "load", r->load);
	et_json_array(w, "clocks");
	for (size_t i = 0; i < s->n_clocks; i++)
		clock_json(w, s, &s->clocks[i]);
	et_json_end(w);
	et_json_double(w, "tsc_hz", s->counter.hz > 0 ? s->counter.hz : NAN);
	if (s->counter.name)
		et_json_bool(w, "invariant_tsc", s->counter.invariant);
	else
		et_json_null(w, "invariant_tsc");
	counter_json(w, s);
	pairs_json(w, s);
	if (s->ntp.error || !s->n_readings)
		et_json_null(w, "ntp");
	else
		et_fields_object(w, "ntp", ntp_fields, &s->ntp);
	et_json_double(w, "tick_ns", et_survey_has_timer(s) ? s->timer.tick_ns : NAN);
	et_json_double(w, "tick_found_ns", s->timer.found_ns > 0 ? s->timer.found_ns : NAN);
	et_json_double(w, "tick_told_ns", r->host->tick_ns ? (double)r->host->tick_ns : NAN);
	timer_json(w, s);
	advice_json(w, s);
	et_warnings_json(w, r->warnings);
	et_json_end(w);
}

/* --- how long events take --- */

/* The scale has this many columns per decade, from 1 ns to 1 s. */
enum { DECADES = 9, PER_DECADE = 3, COLUMNS = DECADES * PER_DECADE };

/* "141 … 144 ns": an interval in the unit of its median. */
static const char *interval_text(const struct et_clock_spread *x, char buf[ET_FIGURE])
{
	struct et_scale s = et_scale_of(x->median, (x->hi - x->lo) / 2);

	buf[0] = '\0';
	if (!isnan(x->lo))
		snprintf(buf, ET_FIGURE, "%s … %s", et_scale_number(s, x->lo, ET_BUF),
			et_scale_number(s, x->hi, ET_BUF));
	return buf;
}

static void add_scale(const struct et_timescale *x, struct et_table *t)
{
	ET_AUTO_FREE char *bar = et_strdup(""), *missing = NULL;

	if (x->missing) {
		missing = et_asprintf("%-15s not measured: %s", x->name, x->missing);
		et_table_note(t, 2, "", NULL, missing);
		return;
	}
	double column = round(PER_DECADE * log10(fmax(x->ns.median, 1)));
	for (int i = 0; i < column && i < COLUMNS; i++)
		et_append(&bar, "", "%s", i % PER_DECADE ? "·" : "¦");
	et_table_add(t, "%s\t%s\t%s\t%s●", x->name, et_format_rounded(x->ns.median, 3, ET_BUF),
		interval_text(&x->ns, ET_BUF), bar);
}

void et_scales_text(const struct et_timescales *r, const struct et_page *page, bool verbose)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, ""),
		ET_COLUMN(NUMBER, "median"), ET_COLUMN(NUMBER, "95 % interval"),
		ET_COLUMN(TEXT, "1 ns     1 µs     1 ms     1 s") };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };

	et_page_paragraph(page, 0, "", NULL, "how long events take on this machine", "1");
	for (size_t i = 0; i < r->n; i++)
		add_scale(&r->list[i], &t);
	et_table_print(&t, page);
	for (size_t i = 0; i < r->n && verbose; i++)
		et_page_say(page, 2, "", NULL, NULL, "%s: %s (%zu batches)", r->list[i].name,
			r->list[i].what, r->list[i].ns.n);
	if (r->cut_short)
		et_page_paragraph(
			page, 2, "", NULL, "Interrupted: later events are missing.", NULL);
}

ET_FIELDS(scale_fields, ET_KEYS(et_timescale, name, what, missing),
	ET_KEYS_OF(et_timescale, ns,
		ET_TABLE(ET_KEYS(et_clock_spread, n), ET_KEYS_NS(et_clock_spread, min, median),
			ET_KEY_SPAN(et_clock_spread, "interval_ns", lo, hi),
			ET_KEY_SPAN(et_clock_spread, "quartiles_ns", q1, q3))));

void et_scales_json(struct et_json *w, const struct et_timescales *r)
{
	et_json_object(w, NULL);
	et_json_int(w, "cpu", r->cpu);
	et_json_bool(w, "complete", !r->cut_short);
	et_fields_list(w, "scales", scale_fields, r->list, r->n, sizeof(*r->list));
	et_json_end(w);
}

void et_scales_svg(const void *timescales, FILE *out)
{
	const struct et_timescales *r = timescales;
	struct et_chart c = { .title = "How long events take on this machine",
		.description = "Durations of events on a logarithmic scale",
		.x = { .label = "duration", .unit = ET_AXIS_NS, .log = true, .lo = 1, .hi = 1e9 },
		.width = 800 };
	struct et_chart_rows rows =
		et_chart_rows(&c, ET_SVG_BLUE, ET_SVG_RED, "95 % interval", "median");

	for (size_t i = 0; i < r->n; i++) {
		const struct et_clock_spread *s = &r->list[i].ns;
		if (!r->list[i].missing)
			et_chart_row(rows, et_chart_track(&c, r->list[i].name), s->median,
				isnan(s->lo) ? s->median : s->lo, isnan(s->hi) ? s->median : s->hi);
	}
	c.height = 100 + 30 * (int)c.n_tracks;
	et_chart_put(&c, &(struct et_chart_to){ .file = out });
}
