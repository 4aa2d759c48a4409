/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/warnings.h"
#include "base/parse.h"
#include "model/sample/sample.h"

/* --- a series --- */

void et_series_warn(const double *x, size_t n, enum et_diagnosis_use use, struct et_warnings *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	struct et_diagnosis d;

	et_diagnose(x, sorted, n, &d);
	et_diagnosis_warn(&d, ET_UNIT_NS, use, out);
}

/* --- a command --- */

struct totals {
	double elapsed, cpu, wait, asleep, steal, blocked;
	size_t n;
	size_t turns;           /* runs that were not warm-up, removed ones too */
	size_t marks[ET_MARKS]; /* as in et_mark_rows */
	size_t kept_slow;       /* runs that are marked because the machine was slow */
	size_t slow;            /* runs that were removed or marked because the machine was slow */
	size_t failed;
	size_t overlapped; /* in duets */
};

/* The shares that are printed; without them, the tasks' waits and the rest of elapsed time. */
static void add_shares(const struct et_measured *m, struct totals *t)
{
	double shares[ET_SHARES], wait = et_known_or_0(m->wait_ns);
	double rest = (double)m->elapsed_ns - (double)m->cpu_ns - wait - et_known_or_0(m->steal_ns);

	bool recorded = m->on_cpu_ns != ET_UNKNOWN; /* imported records may lack them */

	et_sample_shares(m, shares);
	t->wait += !recorded || isnan(shares[ET_SHARE_RUNNABLE]) ? wait : shares[ET_SHARE_RUNNABLE];
	t->asleep += !recorded || isnan(shares[ET_SHARE_ASLEEP]) ? fmax(rest, 0)
								 : shares[ET_SHARE_ASLEEP];
}

static struct totals add_up(const struct et_command *c)
{
	enum et_arrangement arrangement = et_command_arrangement(c);
	struct totals t = { 0 };

	et_for_each_sample(s, &c->samples) {
		if (s->place.warmup)
			continue;
		for (size_t k = 0; k < ET_MARKS; k++)
			t.marks[k] += (s->ruling.marks & et_mark_rows[k].bit) != 0;
		t.kept_slow += (s->ruling.marks & ET_MARK_MACHINE_SLOW) != 0;
		t.failed += s->measured.exit_code != 0;
		t.slow += s->ruling.removal.by == ET_REMOVED_MACHINE_SLOW ||
			  (s->ruling.marks & ET_MARK_MACHINE_SLOW);
		t.turns += s->place.arrangement == arrangement;
		t.overlapped +=
			s->place.arrangement == ET_DUET && !(s->ruling.marks & ET_MARK_NO_OVERLAP);
		if (s->ruling.removal.by != ET_KEPT || s->place.arrangement != ET_SOLO ||
			s->measured.cpu_ns == ET_UNKNOWN)
			continue;
		t.n++;
		t.elapsed += (double)s->measured.elapsed_ns;
		t.cpu += (double)s->measured.cpu_ns;
		add_shares(&s->measured, &t);
		t.steal += et_known_or_0(s->measured.steal_ns);
		t.blocked += et_known_or_0(s->measured.blocked_ns);
	}
	return t;
}

/* The share of elapsed time in which a program slept or waited for something else than a CPU. */
double et_idle_share(const struct et_command *c)
{
	struct totals t = add_up(c);

	return t.elapsed > 0 ? t.asleep / t.elapsed : 0;
}

static void blame_machine(const struct et_experiment *e, const struct et_command *c,
	const struct totals *t, struct et_warnings *out)
{
	size_t n;
	ET_AUTO_FREE struct et_culprit_total *all = et_command_culprits(c, &n);
	const struct et_culprit_total *worst = n ? &all[0] : NULL;

	/* The process that took most of the program's own CPU, if that is known; else of any. */
	for (size_t i = 1; i < n; i++) {
		if (all[i].taken_ns > worst->taken_ns)
			worst = &all[i];
	}
	/* Its own one is not among them. */
	const char *name = !worst                          ? ""
			   : strcmp(worst->name, "etalon") ? worst->name
							   : "another etalon";
	ET_AUTO_FREE char *words = c->argv ? et_join_words(c->argv) : et_strdup("PROGRAM");
	ET_AUTO_FREE char *trace = et_asprintf("etalon trace -- %s", words);
	/* --metric auto chooses elapsed time only where CPU time would be the wrong answer. */
	bool by_hand = e->metric == ET_METRIC_ELAPSED && !e->metric_auto;

	/* The tasks of a parallel program can together wait longer than the elapsed time. */
	if (t->cpu + t->wait > 1.05 * t->elapsed)
		et_warn(out, ET_WARN_TASKS_WAITED, et_arg_value(t->wait / (double)t->n, ET_UNIT_NS),
			et_arg_text(name), et_arg_text(trace));
	else if (t->steal > t->wait)
		et_warn(out, ET_WARN_STOLEN_TIME, et_arg_share(t->steal / t->elapsed),
			et_arg_flag(by_hand));
	else
		et_warn(out, ET_WARN_WAITED_FOR_CPU, et_arg_share(t->wait / t->elapsed),
			et_arg_text(name), et_arg_flag(by_hand), et_arg_text(trace));
}

/* Warns of the greatest reason why elapsed time is above CPU time. */
static void warn_elapsed(const struct et_experiment *e, const struct et_command *c,
	const struct totals *t, struct et_warnings *out)
{
	/* The kernel needs this long to start and to end a program. */
	const double start_and_end_ns = 2e6;
	double rest = t->asleep;
	double taken = t->wait + t->steal;

	if (!t->n || (t->cpu >= t->elapsed && !(taken > 0.02 * t->elapsed)))
		return;
	bool idle =
		rest > 0.1 * t->elapsed && rest / (double)t->n > start_and_end_ns && rest > taken;
	/* Elapsed time, where it is judged, contains what the program waited for. */
	if (idle && e->metric == ET_METRIC_CPU)
		et_warn(out, ET_WARN_MOSTLY_IDLE, et_arg_share(rest / t->elapsed),
			et_arg_flag(!e->plan.pace && e->plan.order != ET_ORDER_DUET));
	else if (!idle && taken > 0.02 * t->elapsed)
		blame_machine(e, c, t, out);
}

/* GNU grep compares its output with /dev/null; with tar and cmp, options decide if that matters. */
static void warn_output(
	const struct et_experiment *e, const struct et_command *c, struct et_warnings *out)
{
	static const char *const programs[] = { "grep", "egrep", "fgrep" };
	const char *path = c->argv && c->argv[0] ? c->argv[0] : "", *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (e->child.output && strcmp(e->child.output, "null"))
		return;
	for (size_t i = 0; i < ET_LENGTH(programs); i++) {
		if (!strcmp(name, programs[i]))
			et_warn(out, ET_WARN_OUTPUT_NULL, et_arg_text(name));
	}
}

static void warn_extent(const struct et_experiment *e, enum et_protocol protocol,
	const struct totals *t, struct et_warnings *out)
{
	/* An automatic number promises no more than --min-runs. */
	uint32_t wanted = e->plan.runs ? e->plan.runs : e->plan.min_runs;

	/* Comparisons that are sampled until they are decided promise no number. */
	if (e->plan.until_ratio > 0 || e->plan.equal_ratio > 0)
		return;
	if (e->state == ET_STATE_DONE && e->plan.time_limit_ns && t->turns < wanted &&
		protocol != ET_PROTOCOL_KBEST)
		et_warn(out, ET_WARN_TIME_LIMIT, et_arg_count(t->turns), et_arg_count(wanted));
}

/* By evidence other than the program's own times: the probe and stolen time. */
void et_speed_warn(const struct et_experiment *e, struct et_command_result *r)
{
	/* The loop needs several of the scheduler's slices beside the program. */
	const double long_enough_ns = 2e7, often = 0.1;
	struct totals t = add_up(r->command);
	bool paceable = r->metric == ET_METRIC_CPU && e->plan.order != ET_ORDER_DUET &&
			t.cpu > long_enough_ns * (double)t.n && t.cpu < 1.1 * t.elapsed;

	if (!r->states.slow)
		return;
	if (t.kept_slow && !e->plan.keep_all)
		et_warn(&r->warnings, ET_WARN_SLOW_MACHINE, et_arg_count(t.kept_slow),
			et_arg_count(t.turns), et_arg_flag(paceable));
	else if ((double)t.slow > often * (double)t.turns)
		et_warn(&r->warnings, ET_WARN_SLOW_RUNS, et_arg_count(t.slow),
			et_arg_count(t.turns), et_arg_flag(!e->plan.keep_all),
			et_arg_flag(paceable));
}

/* The source of the ledger, if there is one, follows after a plus sign. */
static bool watched_by(const struct et_experiment *e, const char *source)
{
	size_t n = strlen(source);

	return e->snapshot_source && !strncmp(e->snapshot_source, source, n) &&
	       (e->snapshot_source[n] == '\0' || e->snapshot_source[n] == '+');
}

/* Without exit records the peak of a small program is hidden by that of etalon. */
static void warn_memory(
	const struct et_experiment *e, const struct et_command *c, struct et_warnings *out)
{
	size_t n = 0, hidden = 0;

	et_for_each_sample(s, &c->samples) {
		if (s->place.warmup || s->ruling.removal.by != ET_KEPT)
			continue;
		n++;
		hidden += s->measured.max_rss_bytes == ET_UNKNOWN;
	}
	if (hidden)
		et_warn(out, ET_WARN_MEMORY_HIDDEN, et_arg_count(hidden), et_arg_count(n),
			et_arg_flag(watched_by(e, "taskstats")));
}

void et_command_warn(const struct et_experiment *e, enum et_protocol protocol,
	const struct et_command *c, struct et_warnings *out)
{
	enum et_arrangement arrangement = et_command_arrangement(c);
	struct totals t = add_up(c);

	if (et_metric_is_time(e->metric))
		warn_elapsed(e, c, &t, out);
	else
		warn_memory(e, c, out);
	warn_extent(e, protocol, &t, out);
	warn_output(e, c, out);
	for (size_t i = 0; i < ET_MARKS; i++) {
		if (t.marks[i] && et_mark_rows[i].warning >= 0)
			et_warn(out, (enum et_warning_code)et_mark_rows[i].warning,
				et_arg_count(t.marks[i]));
	}
	if (t.failed)
		et_warn(out, ET_WARN_FAILED_RUNS, et_arg_count(t.failed),
			et_arg_flag(e->plan.ignore_failure || e->child.ignore_codes));
	if (arrangement == ET_PACED)
		et_warn(out, ET_WARN_PACED);
	if (t.overlapped && arrangement == ET_DUET)
		et_warn(out, ET_WARN_DUETS_ONLY);
}

/* --- the machine --- */

static bool all_by_wait4(const struct et_experiment *e)
{
	size_t n = 0, wait4 = 0;

	for (size_t c = 0; c < e->n_commands; c++) {
		et_for_each_sample(s, &e->commands[c].samples) {
			n++;
			wait4 += s->measured.cpu_source == ET_CPU_BY_WAIT4 &&
				 s->measured.cpu_ns != ET_UNKNOWN;
		}
	}
	return n && wait4 == n;
}

void et_observation_warn(const struct et_experiment *e, struct et_warnings *out)
{
	if (watched_by(e, "proc"))
		et_warn(out, ET_WARN_NO_NET_ADMIN);
	else if (watched_by(e, "proc-no-taskstats"))
		et_warn(out, ET_WARN_NO_TASKSTATS);
}

static void warn_of_changes(const struct et_experiment *e, struct et_warnings *out)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < e->n_environment; i++) {
		const struct et_factor *f = &e->environment[i];
		if (!f->wanted || !f->state || strcmp(f->wanted, ET_FACTOR_UNCHANGED))
			continue;
		first = first ? first : f->state;
		n++;
	}
	if (n)
		et_warn(out, ET_WARN_ENVIRONMENT_CHANGED, et_arg_text(first), et_arg_flag(n > 1),
			et_arg_count(n - 1));
}

void et_host_warn(const struct et_experiment *e, struct et_warnings *out)
{
	const struct et_host *h = &e->host;
	bool counter =
		!strcmp(h->clocksource, "tsc") || !strcmp(h->clocksource, "arch_sys_counter");

	if (h->clocksource[0] && !counter)
		et_warn(out, ET_WARN_CLOCK_SOURCE, et_arg_text(h->clocksource));
	if (h->virtual_machine[0] && strcmp(h->virtual_machine, "none") &&
		strcmp(h->virtual_machine, "unknown"))
		et_warn(out, ET_WARN_VIRTUAL_MACHINE, et_arg_text(h->virtual_machine));
	if (h->governor[0] && strcmp(h->governor, "performance"))
		et_warn(out, ET_WARN_FREQUENCY_SCALING, et_arg_text(h->governor));
	warn_of_changes(e, out);
	if (!h->cpus)
		return; /* a record made elsewhere: how it was measured is not known */
	et_observation_warn(e, out);
	if (all_by_wait4(e))
		et_warn(out, ET_WARN_NO_CGROUP,
			/* With taskstats we had root's capabilities. */
			et_arg_flag(watched_by(e, "taskstats")));
}

/* The samples that were judged, and those that the check of daemons removed. */
static void count_checked(const struct et_experiment *e, size_t *samples, size_t *removed)
{
	*samples = *removed = 0;
	for (size_t c = 0; c < e->n_commands; c++) {
		et_for_each_sample(s, &e->commands[c].samples) {
			*samples += !s->place.warmup;
			*removed += s->ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF;
		}
	}
}

void et_first_check_warn(const struct et_experiment *e, struct et_warnings *out)
{
	const struct et_first_check *f = &e->first_check;
	bool emp = e->protocol == ET_PROTOCOL_EMP;
	size_t samples, removed;
	char date[32];

	et_format_rfc3339(f->learned_wall_ns, date);
	date[strlen("2026-11-16")] = '\0';
	count_checked(e, &samples, &removed);
	switch (f->state) {
	case ET_FIRST_CHECK_NONE:
		break;
	case ET_FIRST_CHECK_UNLEARNED:
		if (!emp)
			break; /* nobody asked for it */
		et_warn(out, ET_WARN_FIRST_CHECK_NOT_DONE, et_arg_flag(true), et_arg_flag(false),
			et_arg_flag(emp));
		break;
	case ET_FIRST_CHECK_DONE:
		et_warn(out, ET_WARN_FIRST_CHECK_DONE, et_arg_count(f->cutoffs), et_arg_text(date),
			et_arg_flag(f->learned_wall_ns > e->started_wall_ns),
			et_arg_count(removed));
		break;
	case ET_FIRST_CHECK_MISFIT:
		et_warn(out, ET_WARN_FIRST_CHECK_UNFIT, et_arg_text(date), et_arg_flag(emp));
		break;
	case ET_FIRST_CHECK_WITHDRAWN:
		et_warn(out, ET_WARN_FIRST_CHECK_WITHDRAWN, et_arg_count(f->would_remove),
			et_arg_count(samples));
		break;
	default:
		et_warn(out, ET_WARN_FIRST_CHECK_NOT_DONE, et_arg_flag(false),
			et_arg_flag(f->state == ET_FIRST_CHECK_UNSEEN), et_arg_flag(emp));
	}
}

/* --- growth --- */

/* The models that are possible beside the best: "n (weight 0.41) and n^1.1 (weight 0.32)". */
static char *possible_ones(const struct et_growth *g)
{
	char *text = NULL;

	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		const struct et_growth_fit *f = &g->fits[m];

		if (!et_growth_possible(g, (enum et_growth_model)m))
			continue;
		if (m == ET_GROWTH_POWER)
			et_append(&text, ", ", "n^%.3g (%.2f)", f->c, f->weight);
		else
			et_append(&text, ", ", "%s (%.2f)", et_growth_names[m], f->weight);
	}
	return text;
}

void et_growth_warn(const struct et_growth *g, struct et_warnings *w)
{
	const struct et_growth_fit *best = &g->fits[g->best];
	double span = g->points[g->n - 1].size / g->points[0].size;
	ET_AUTO_FREE char *others = possible_ones(g);

	if (g->all_rejected)
		et_warn(w, ET_WARN_GROWTH_SCATTERS, et_arg_share(g->excess));
	else if (best->rejected)
		et_warn(w, ET_WARN_GROWTH_REJECTED, et_arg_text(et_growth_names[g->best]),
			et_arg_p_value(best->rejected == ET_GROWTH_RUNS ? best->runs_p : best->p));
	if (others)
		et_warn(w, ET_WARN_GROWTH_AMBIGUOUS, et_arg_text(et_growth_names[g->best]),
			et_arg_number(best->weight), et_arg_text(others));
	if (span < ET_GROWTH_SPAN && g->best != ET_GROWTH_EXP)
		et_warn(w, ET_WARN_GROWTH_NARROW, et_arg_number(span),
			et_arg_count(ET_GROWTH_SPAN));
}
