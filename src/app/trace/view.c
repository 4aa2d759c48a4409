/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/trace/view.h"
#include "draw/table.h"
#include "num/tick_count.h"
#include "report/warning.h"

enum { SHOWN = 20 };  /* inactive periods, unless all are requested */
enum { CHARGES = 8 }; /* rows of the table of ticks, and letters */

#define BOLD "1"
#define DIM "2"

static const char *rate(double hz, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, hz >= 1e9 ? "%.4g GHz" : "%.1f MHz",
		hz >= 1e9 ? hz / 1e9 : hz / 1e6);
	return buf;
}

static double interval_ns(const struct et_trace *t)
{
	return t->timer.interval / t->hz * 1e9;
}

/* --- the periods, in the format of Bryant & O'Hallaron --- */

static void period(const struct et_trace *t, const struct et_page *page, char state, uint64_t index,
	uint64_t start, uint64_t duration, const char *cause)
{
	char lead[32];
	double unit_ns = 1e9 / t->hz;

	start += t->origin;
	snprintf(lead, sizeof(lead), "%c%llu", state, (unsigned long long)index);
	et_page_say(page, 5, lead, NULL, NULL, "Time %llu (%s), Duration %llu (%s)%s%s",
		(unsigned long long)start,
		start ? et_format_rounded((double)start * unit_ns, 6, ET_BUF) : "0 ms",
		(unsigned long long)duration,
		duration ? et_format_rounded((double)duration * unit_ns, 6, ET_BUF) : "0 ms",
		*cause ? ", " : "", cause);
}

/* Appends the ticks of the second and later kind in a period: those that it hides. */
static void hidden_ticks(
	const struct et_trace *t, const struct et_inactive *p, size_t *at, char **text)
{
	enum { MOST = 3 };
	uint64_t end_ns = p->start_ns + p->duration_ns;
	double origin_ns = (double)t->origin / t->hz * 1e9;
	size_t n = 0;

	while (*at < t->n_ticks && t->ticks[*at].at_ns < p->start_ns)
		++*at;
	for (; *at < t->n_ticks && t->ticks[*at].at_ns < end_ns; ++*at) {
		const struct et_tick *tick = &t->ticks[*at];
		if (tick->charged == ET_TICK_SELF || n++ >= MOST)
			continue;
		et_append(text, n > 1 ? ", " : "; tick at ", "%s%s",
			et_format_rounded(origin_ns + (double)tick->at_ns, 6, ET_BUF),
			tick->estimated ? " (estimated)" : "");
	}
	if (n > MOST)
		et_append(text, " and ", "%zu more", n - MOST);
}

static void print_periods(const struct et_trace *t, const struct et_page *page, bool all)
{
	size_t n = all || t->n <= SHOWN ? t->n : SHOWN;
	uint64_t index = t->first_index + t->dropped, end = 0;
	size_t tick = 0;

	for (size_t i = 0; i < n; i++, index++) {
		const struct et_inactive *p = &t->list[i];
		const char *who = p->taker == ET_NOBODY ? "" : t->takers[p->taker].name;
		/* The active period before the first listed one was dropped as well. */
		if (i > 0 || !t->dropped)
			period(t, page, 'A', index, end, p->start - end, "");
		ET_AUTO_FREE char *cause =
			et_asprintf("%s%s%s", et_cause_names[p->cause], *who ? " " : "", who);
		hidden_ticks(t, p, &tick, &cause);
		period(t, page, 'I', index, p->start, p->duration, cause);
		end = p->start + p->duration;
	}
	if (n < t->n)
		fprintf(page->out, "… %zu more inactive periods; --all prints them\n", t->n - n);
	else if (t->total > end && n)
		period(t, page, 'A', index, end, t->total - end, "");
}

/* --- the summary --- */

static void row(const struct et_trace *t, struct et_table *table, const char *name, uint64_t count,
	uint64_t ns)
{
	et_table_name(table, name, NULL);
	et_table_add(table, "%llu\t%s\t%s", (unsigned long long)count,
		et_format_time((double)ns, ET_BUF),
		et_format_percent((double)ns / (double)t->total_ns, ET_BUF));
}

static int by_time(const void *a, const void *b)
{
	const struct et_taker *x = a, *y = b;

	return ET_ORDER(y->ns, x->ns);
}

/* The takers of a cause, the longest first. The caller frees the list. */
static struct et_taker *ranking(const struct et_trace *t, enum et_cause cause, size_t *n)
{
	struct et_taker *list = et_calloc(t->n_takers + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < t->n_takers; i++) {
		if (t->takers[i].cause == cause && t->takers[i].count)
			list[(*n)++] = t->takers[i];
	}
	qsort(list, *n, sizeof(*list), by_time);
	return list;
}

/* Timers of sleeping processes use the same interrupt as the tick. */
static void print_other_timers(const struct et_trace *t, struct et_table *table)
{
	uint64_t count = 0, ns = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].cause == ET_CAUSE_TIMER && !t->list[i].tick) {
			count++;
			ns += t->list[i].duration_ns;
		}
	}
	if (count && t->timer.n && !t->dropped)
		row(t, table, "  other timers", count, ns);
}

static void print_causes(const struct et_trace *t, const struct et_page *page)
{
	enum { MOST_NAMED = 12 };
	const struct et_table_column columns[] = {
		ET_COLUMN(NAME, page->width < 57 ? "cause" : "inactive because of"),
		ET_COLUMN(NUMBER, "periods"), ET_COLUMN(NUMBER, "time"), ET_COLUMN(NUMBER, "share")
	};
	struct et_table table = { ET_COLUMNS(columns), .indent = 2, .split = true };

	for (int cause = 0; cause < ET_CAUSES; cause++) {
		const struct et_cause_sum *s = &t->by_cause[cause];
		size_t n;
		if (!s->count)
			continue;
		row(t, &table, et_cause_names[cause], s->count, s->ns);
		if (cause == ET_CAUSE_TIMER)
			print_other_timers(t, &table);
		ET_AUTO_FREE struct et_taker *list = ranking(t, (enum et_cause)cause, &n);
		for (size_t i = 0; i < n && i < MOST_NAMED; i++) {
			char name[40];
			snprintf(name, sizeof(name), "  %s", list[i].name);
			row(t, &table, name, list[i].count, list[i].ns);
		}
		ET_AUTO_FREE char *more = et_asprintf("and %zu more", n - MOST_NAMED);
		if (n > MOST_NAMED)
			et_table_note(&table, 4, "", NULL, more);
	}
	et_table_print(&table, page);
}

/* The cost of ticks that nothing followed; "" if there are none. The caller frees it. */
static char *tick_cost(const struct et_trace *t)
{
	char ticks[64] = "";

	if (!t->timer.alone)
		return et_strdup("");
	/* A trace of a program has no counter; ours has a fixed rate, so it counts no cycles. */
	if (t->readings || t->hz_estimate > 0)
		snprintf(ticks, sizeof(ticks), " (%llu %s)",
			(unsigned long long)t->timer.shortest_ticks,
			t->hz_estimate > 0 ? "cycles" : "counter ticks");
	return et_asprintf(" (the shortest took %s%s, the median %s)",
		et_format_time((double)t->timer.shortest_ticks / t->hz * 1e9, ET_BUF), ticks,
		et_format_time((double)t->timer.median_ticks / t->hz * 1e9, ET_BUF));
}

/* Appends ", 5 while the CPU was idle"; nothing for a count of 0. */
static void and_count(char **text, uint64_t count, const char *what)
{
	if (count)
		et_append(text, ", ", "%llu %s", (unsigned long long)count, what);
}

static void print_timer(const struct et_trace *t, const struct et_page *page)
{
	if (!t->timer.n) {
		et_page_paragraph(
			page, 16, "  timer", NULL, "no regular interrupts were found", NULL);
		return;
	}
	ET_AUTO_FREE char *cost = tick_cost(t);
	ET_AUTO_FREE char *text = et_asprintf("%zu interrupts %s apart, %s: %zu alone%s",
		t->timer.n, et_format_rounded(interval_ns(t), 4, ET_BUF),
		t->timer.by_records ? "by the kernel's records" : "found by their regularity",
		t->timer.alone, cost);
	and_count(&text, t->self_ticks - t->timer.alone, "with other work after them");
	and_count(&text, t->timer.n - t->self_ticks - t->idle_ticks,
		"while another process had the CPU");
	and_count(&text, t->idle_ticks, "while the CPU was idle");
	et_page_paragraph(page, 16, "  timer", NULL, text, NULL);
	if (t->hz_estimate <= 0 || t->hz == t->hz_estimate)
		return;
	et_page_say(page, 16, "  clock rate", NULL, NULL,
		"%s, by the timer interrupts; %s was estimated", rate(t->hz, ET_BUF),
		rate(t->hz_estimate, ET_BUF));
}

static void print_long_run(const struct et_trace *t, const struct et_page *page)
{
	struct et_long_run run;

	if (!et_trace_long_run(t, &run))
		return;
	et_page_say(page, 16, "  long run", NULL, NULL, "%.1f %% inactive, by %zu whole %s",
		100 * run.inactive, run.cycles,
		run.turns ? "rounds between turns of other processes" : "intervals of the timer");
}

static void print_head(const struct et_trace *t, const struct et_page *page)
{
	char cpu[32] = "trace";

	if (t->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "CPU %d", t->cpu);
	et_page_say(page, 0, "", NULL, BOLD, "%s%s%s: %.1f %% active of %s", t->name ? t->name : "",
		t->name && t->cpu >= 0 ? " on " : "", t->name && t->cpu < 0 ? "" : cpu,
		100 * et_trace_active(t), et_format_rounded((double)t->total_ns, 3, ET_BUF));
	if (t->threshold_ns != ET_UNKNOWN)
		et_page_say(page, 16, "  threshold", NULL, NULL,
			"%s (%s): readings further apart are an inactive period; %llu "
			"readings at %s",
			et_format_time((double)t->threshold_ns, ET_BUF),
			t->threshold_found ? "determined automatically" : "given",
			(unsigned long long)t->readings, rate(t->hz, ET_BUF));
	print_timer(t, page);
	print_long_run(t, page);
}

/* --- the CPU times that accounting by ticks would charge --- */

char et_charge_letter(const struct et_charges *all, uint32_t who)
{
	for (size_t i = 0; i < all->n && i < CHARGES; i++) {
		if (all->list[i].who == who)
			return (char)('A' + i);
	}
	return who == ET_TICK_IDLE ? '-' : '+';
}

static const char *figure(double ns, char buf[ET_FIGURE])
{
	if (isnan(ns))
		snprintf(buf, ET_FIGURE, "–");
	else if (ns == 0)
		snprintf(buf, ET_FIGURE, "0");
	else
		et_format_rounded(ns, 3, buf);
	return buf;
}

static void add_row(const struct et_trace *t, const struct et_charges *all,
	const struct et_charge *c, struct et_table *table)
{
	bool range = c->least != c->most && !isnan(c->least);
	bool compared = c->time > 0 && !isnan(c->by_ticks);
	char error[ET_FIGURE] = "–";
	bool self = c->who == ET_TICK_SELF;
	const char *who = self ? t->name : c->name;
	const char *nameless = self ? "the traced thread" : "another process";
	ET_AUTO_FREE char *name =
		et_asprintf("%c %s", et_charge_letter(all, c->who), who ? who : nameless);

	if (compared)
		snprintf(error, sizeof(error), "%+.0f %%", 100 * (c->by_ticks / c->time - 1));
	et_table_name(table, name, NULL);
	et_table_add(
		table, "%s\t%s\t%s", figure(c->time, ET_BUF), figure(c->by_ticks, ET_BUF), error);
	if (table->n_columns > 4) /* with ticks of 10 ms it would repeat the one before */
		et_table_add(table, "%s%s%s", figure(c->least, ET_BUF), range ? " … " : "",
			range ? figure(c->most, ET_BUF) : "");
}

void et_charges_text(
	const struct et_trace *t, const struct et_charges *all, const struct et_page *page)
{
	bool chapter = fabs(all->interval / ET_CHAPTER_TICK_NS - 1) > 0.01;
	char head[32] = "by ticks";
	const struct et_table_column columns[] = {
		ET_COLUMN(NAME, page->width < 57 ? "charged to" : "ticks charged to"),
		ET_COLUMN(NUMBER, "CPU time"), ET_COLUMN(NUMBER, head), ET_COLUMN(NUMBER, "error"),
		ET_COLUMN(NUMBER, "10 ms ticks")
	};
	struct et_table table = {
		.columns = columns, .n_columns = chapter ? 5 : 4, .indent = 2, .split = true
	};

	if (all->interval > 0)
		snprintf(head, sizeof(head), "%.3g ms ticks", all->interval / 1e6);
	for (size_t i = 0; i < all->n && i < CHARGES; i++)
		add_row(t, all, &all->list[i], &table);
	et_table_print(&table, page);
	if (all->n > CHARGES)
		fprintf(page->out, "    and %zu more\n", all->n - CHARGES);
	putc('\n', page->out);
}

void et_trace_text(const struct et_trace *t, const struct et_page *page, bool all)
{
	struct et_charges charges;

	et_trace_charge(t, &charges);
	print_head(t, page);
	putc('\n', page->out);
	et_timeline_draw(t, &charges, page);
	print_causes(t, page);
	putc('\n', page->out);
	et_charges_text(t, &charges, page);
	print_periods(t, page, all);
	free(charges.list);
	et_warnings_text(page, 0, &t->warnings);
}

/* --- JSON --- */

static void json_period(struct et_json *w, const char *state, uint64_t index, uint64_t start_ns,
	uint64_t duration_ns)
{
	et_json_flat_object(w, NULL);
	et_json_string(w, "state", state);
	et_json_u64(w, "index", index);
	et_json_u64(w, "start_ns", start_ns);
	et_json_u64(w, "duration_ns", duration_ns);
}

static void json_active(struct et_json *w, uint64_t index, uint64_t start_ns, uint64_t end_ns)
{
	json_period(w, "A", index, start_ns, end_ns > start_ns ? end_ns - start_ns : 0);
	et_json_null(w, "cause");
	et_json_null(w, "process");
	et_json_end(w);
}

static void json_periods(const struct et_trace *t, struct et_json *w)
{
	uint64_t index = t->first_index + t->dropped, end_ns = 0;
	uint64_t origin_ns = (uint64_t)llround((double)t->origin / t->hz * 1e9);

	et_json_array(w, "periods");
	for (size_t i = 0; i < t->n; i++, index++) {
		const struct et_inactive *p = &t->list[i];
		const char *who = p->taker == ET_NOBODY ? NULL : t->takers[p->taker].name;
		if (i > 0 || !t->dropped)
			json_active(w, index, origin_ns + end_ns, origin_ns + p->start_ns);
		json_period(w, "I", index, origin_ns + p->start_ns, p->duration_ns);
		et_json_string(w, "cause", et_cause_names[p->cause]);
		et_json_string(w, "process", p->cause == ET_CAUSE_PROCESS ? who : NULL);
		et_json_string(w, "interrupt", p->cause == ET_CAUSE_IRQ ? who : NULL);
		et_json_bool(w, "tick", p->tick);
		et_json_end(w);
		end_ns = p->start_ns + p->duration_ns;
	}
	if (t->total_ns > end_ns)
		json_active(w, index, origin_ns + end_ns, origin_ns + t->total_ns);
	et_json_end(w);
}

/* The rest of an open object. */
static void json_share(const struct et_trace *t, struct et_json *w, uint64_t count, uint64_t ns)
{
	et_json_u64(w, "count", count);
	et_json_u64(w, "duration_ns", ns);
	et_json_double(w, "percent", 100 * (double)ns / (double)t->total_ns);
	et_json_end(w);
}

static void json_takers(
	const struct et_trace *t, struct et_json *w, const char *key, enum et_cause c)
{
	size_t n;
	ET_AUTO_FREE struct et_taker *list = ranking(t, c, &n);

	et_json_array(w, key);
	for (size_t i = 0; i < n; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "name", list[i].name);
		json_share(t, w, list[i].count, list[i].ns);
	}
	et_json_end(w);
}

static void json_timer(const struct et_trace *t, struct et_json *w)
{
	if (!t->timer.n) {
		et_json_null(w, "timer");
		return;
	}
	et_json_flat_object(w, "timer");
	et_json_u64(w, "count", t->timer.n);
	et_json_double(w, "first_ns", (double)t->timer.first / t->hz * 1e9);
	et_json_double(w, "interval_ns", interval_ns(t));
	et_json_double(w, "uncertainty_ns", t->timer.uncertainty / t->hz * 1e9);
	et_json_string(w, "found_by", t->timer.by_records ? "records" : "regularity");
	et_json_u64(w, "alone", t->timer.alone);
	et_json_double(w, "shortest_ns",
		t->timer.alone ? (double)t->timer.shortest_ticks / t->hz * 1e9 : NAN);
	et_json_double(
		w, "median_ns", t->timer.alone ? (double)t->timer.median_ticks / t->hz * 1e9 : NAN);
	et_json_u64(w, "nominal_ns", t->timer.nominal_ns ? t->timer.nominal_ns : ET_UNKNOWN);
	et_json_end(w);
}

static void json_ticks(const struct et_trace *t, struct et_json *w)
{
	uint64_t origin_ns = (uint64_t)llround((double)t->origin / t->hz * 1e9);

	et_json_array(w, "ticks");
	for (size_t i = 0; i < t->n_ticks; i++) {
		const struct et_tick *tick = &t->ticks[i];
		const char *who = tick->charged == ET_TICK_SELF   ? "self"
				  : tick->charged == ET_TICK_IDLE ? "idle"
								  : "process";
		et_json_flat_object(w, NULL);
		et_json_u64(w, "at_ns", origin_ns + tick->at_ns);
		et_json_string(w, "charged", who);
		et_json_string(w, "process",
			tick->charged < t->n_takers ? t->takers[tick->charged].name : NULL);
		et_json_bool(w, "estimated", tick->estimated);
		et_json_end(w);
	}
	et_json_end(w);
}

static void json_long_run(const struct et_trace *t, struct et_json *w)
{
	struct et_long_run run;

	if (!et_trace_long_run(t, &run)) {
		et_json_null(w, "long_run");
		return;
	}
	et_json_flat_object(w, "long_run");
	et_json_double(w, "inactive_percent", 100 * run.inactive);
	et_json_double(w, "standard_uncertainty_percent", 100 * run.uncertainty);
	et_json_u64(w, "cycles", run.cycles);
	et_json_string(w, "of", run.turns ? "turns" : "ticks");
	et_json_end(w);
}

void et_charges_json(const struct et_charges *all, struct et_json *w)
{
	static const struct et_field figures[] = { ET_KEYS_NS(et_charge, time),
		ET_KEY(et_charge, "charged_ns", by_ticks),
		ET_KEY(et_charge, "least_by_10ms_ns", least),
		ET_KEY(et_charge, "most_by_10ms_ns", most), ET_KEYS_NS(et_charge, user, system),
		ET_KEY(et_charge, "charged_user_ns", user_by_ticks),
		ET_KEY(et_charge, "charged_system_ns", system_by_ticks), { 0 } };

	et_json_array(w, "charges");
	for (size_t i = 0; i < all->n; i++) {
		const struct et_charge *c = &all->list[i];
		char letter[2] = { et_charge_letter(all, c->who), '\0' };
		et_json_flat_object(w, NULL);
		et_json_string(w, "letter", letter);
		et_json_string(w, "process", c->name);
		et_json_bool(w, "traced", c->who == ET_TICK_SELF);
		et_fields_write(w, figures, c);
		et_json_end(w);
	}
	et_json_end(w);
}

void et_trace_json(const struct et_trace *t, struct et_json *w)
{
	struct et_charges charges;

	et_json_object(w, NULL);
	et_json_string(w, "name", t->name);
	et_json_double(w, "hz", t->hz);
	et_json_double(w, "hz_estimate", t->hz_estimate > 0 ? t->hz_estimate : NAN);
	et_json_u64(w, "threshold_ns", t->threshold_ns);
	if (t->cpu >= 0)
		et_json_int(w, "cpu", t->cpu);
	et_json_u64(w, "begin_ns", t->begin_ns);
	et_json_u64(w, "total_ns", t->total_ns);
	et_json_u64(w, "ready_ns", t->ready_ns);
	et_json_u64(w, "readings", t->readings ? t->readings : ET_UNKNOWN);
	et_json_double(w, "active_percent", 100 * et_trace_active(t));
	et_json_object(w, "by_cause");
	for (int i = 0; i < ET_CAUSES; i++) {
		et_json_flat_object(w, et_cause_names[i]);
		json_share(t, w, t->by_cause[i].count, t->by_cause[i].ns);
	}
	et_json_end(w);
	json_takers(t, w, "by_process", ET_CAUSE_PROCESS);
	json_takers(t, w, "by_interrupt", ET_CAUSE_IRQ);
	json_timer(t, w);
	et_trace_charge(t, &charges);
	et_charges_json(&charges, w);
	free(charges.list);
	json_long_run(t, w);
	json_ticks(t, w);
	et_json_string(w, "causes_from", t->source);
	et_json_string(w, "ended_early", *t->ended ? t->ended : NULL);
	et_json_u64(w, "dropped", t->dropped);
	et_json_u64(w, "lost", t->lost);
	et_warnings_json(w, &t->warnings);
	json_periods(t, w);
	et_json_end(w);
}
