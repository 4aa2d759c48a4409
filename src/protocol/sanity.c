/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/sanity.h"
#include "base/whole.h"
#include "model/experiment/advice.h"
#include "model/sample/metric_choice.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rank.h"

/* The finding about a sample: a ruling without its details, which would need more memory. */
struct verdict {
	uint32_t marks;
	enum et_removed_by by;
};

/* The state of the checks of one command. */
struct check {
	struct et_command *c;
	const struct et_cutoffs *cutoffs; /* NULL if none fit */
	double seconds, fast_ns;
	enum et_metric metric; /* that is judged */
	bool keep;             /* --keep-all: mark, remove nothing */
	bool emp;              /* two-sigma removes; a slow machine does not */
	/* Samples with one of these marks are removed, or would be without --keep-all. */
	uint32_t spoilt;
	struct verdict *verdicts; /* one per sample */
};

static bool is_ours(enum et_removed_by by)
{
	return by == ET_REMOVED_DAEMON_CUTOFF || by == ET_REMOVED_TWO_SIGMA ||
	       by == ET_REMOVED_MACHINE_SLOW;
}

static bool is_judged(const struct et_sample *s, const struct verdict *v)
{
	return !s->place.warmup && v->by == ET_KEPT;
}

/* The median elapsed time of samples that were kept, or removed by these checks (if `anew`). */
static double usual_seconds(const struct et_command *c, bool anew)
{
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));
	size_t n = 0;

	et_for_each_sample(s, &c->samples) {
		enum et_removed_by by = s->ruling.removal.by;
		if (!s->place.warmup && (by == ET_KEPT || (anew && is_ours(by))) &&
			s->measured.elapsed_ns != ET_UNKNOWN)
			x[n++] = 1e-9 * (double)s->measured.elapsed_ns;
	}
	return et_median(x, n);
}

double et_command_seconds(const struct et_command *c)
{
	return usual_seconds(c, false);
}

bool et_cutoffs_fit(const struct et_cutoffs *c, double seconds)
{
	return seconds <= 2 * fmax(c->short_seconds, c->long_seconds); /* fmax ignores NaN */
}

static const struct et_cutoff *find(const struct et_cutoffs *c, const char *daemon)
{
	/* The kernel truncates names to 15 bytes; names in a record may be longer. */
	for (size_t i = 0; i < c->n && !et_daemon_nameless(daemon); i++) {
		if (!strncmp(c->list[i].daemon, daemon, 15))
			return &c->list[i];
	}
	return NULL;
}

static bool is_below_floor(const struct et_cutoffs *all, double cutoff_ms)
{
	return cutoff_ms < all->floor_ms; /* false for NaN, the floor of old learnings */
}

/* Returns the cutoff of a daemon for this command; INFINITY if it has none. */
static double cutoff_ns(const struct check *k, const char *daemon)
{
	const struct et_cutoff *c = find(k->cutoffs, daemon);
	double ms = c ? et_cutoff_for(c, k->seconds) : INFINITY;

	return is_below_floor(k->cutoffs, ms) ? INFINITY : 1e6 * ms;
}

/* The time of a process by which the cutoffs were found. */
static uint64_t execution_ns(const struct check *k, const struct et_culprit *x)
{
	if (k->cutoffs->by_ledger && x->on_our_cpu_ns != ET_UNKNOWN)
		return x->on_our_cpu_ns;
	return x->cpu_ns == ET_UNKNOWN ? 0 : x->cpu_ns;
}

static bool is_small(const struct check *k, const struct et_culprit *x)
{
	return x->cpu_ns == ET_UNKNOWN || (double)x->cpu_ns < 1e6 * k->cutoffs->floor_ms;
}

/* The time that a process is judged by: if it is below the floor, that of all such of its name. */
static uint64_t judged_of(
	const struct check *k, const struct et_sample *s, const struct et_culprit *x)
{
	uint64_t sum = 0;

	if (!is_small(k, x))
		return execution_ns(k, x);
	for (size_t i = 0; i < s->measured.n_culprits; i++) {
		const struct et_culprit *y = &s->measured.culprits[i];
		if (is_small(k, y) && !strncmp(et_daemon_of(x), et_daemon_of(y), 15))
			sum += execution_ns(k, y);
	}
	return sum;
}

/* Returns the evidence against a sample; .by is ET_KEPT if there is none. */
static struct et_removal cut_off_by(const struct check *k, const struct et_sample *s)
{
	for (size_t i = 0; k->cutoffs && i < s->measured.n_culprits; i++) {
		const struct et_culprit *x = &s->measured.culprits[i];
		double limit_ns = cutoff_ns(k, et_daemon_of(x));
		uint64_t judged_ns = isfinite(limit_ns) ? judged_of(k, s, x) : 0;

		if (!((double)judged_ns > limit_ns))
			continue;
		struct et_removal r = { .by = ET_REMOVED_DAEMON_CUTOFF,
			.cpu_ns = judged_ns,
			.cutoff_ns = et_u64(limit_ns) };
		snprintf(r.daemon, sizeof(r.daemon), "%s", et_daemon_of(x));
		return r;
	}
	return (struct et_removal){ .by = ET_KEPT };
}

/* Only the check of daemons looks at culprits. */
static struct et_sample_reader read_for(const struct check *k)
{
	return k->cutoffs ? et_samples_read(&k->c->samples)
			  : et_samples_read_figures(&k->c->samples);
}

/* The samples of one command and arrangement, and those that the first check speaks against. */
struct balance {
	size_t n, hit;
};

/* Marks the samples that daemons spoilt. Returns whether too few would be left without them. */
static bool check_daemons(struct check *k, uint32_t *would_remove)
{
	ET_AUTO_READER struct et_sample_reader r = read_for(k);
	struct balance balances[ET_PACED + 1] = { 0 };
	struct verdict *v = k->verdicts;
	bool too_much = false;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r)); v++) {
		if (!is_judged(s, v))
			continue;
		struct balance *b = &balances[s->place.arrangement];
		b->n++;
		if (cut_off_by(k, s).by == ET_KEPT)
			continue;
		v->marks |= ET_MARK_DAEMON;
		b->hit++;
	}
	for (size_t i = 0; i < ET_LENGTH(balances); i++) {
		const struct balance *b = &balances[i];
		*would_remove += (uint32_t)b->hit;
		too_much |= b->hit && (2 * b->hit > b->n || b->n - b->hit < ET_CUTOFFS_LEAVE);
	}
	return too_much;
}

/* Makes removals of the samples with that mark. */
static void remove_marked(struct check *k, uint32_t mark, enum et_removed_by by)
{
	for (size_t i = 0; i < k->c->samples.n; i++) {
		struct verdict *v = &k->verdicts[i];
		if (!(v->marks & mark))
			continue;
		v->by = by;
		v->marks &= ~mark;
	}
}

/* Whether processes were recorded beside the samples; records of other tools have none. */
static bool has_processes(const struct et_experiment *e)
{
	if (e->snapshot_source)
		return true;
	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r = et_samples_read(&e->commands[i].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
			if (s->measured.n_culprits)
				return true;
		}
	}
	return false;
}

/* The first check. Either it removes samples from all commands, or from none. */
static void check_first(
	struct et_experiment *e, const struct et_cutoffs *cutoffs, struct check *all)
{
	struct et_first_check *f = &e->first_check;
	uint32_t would_remove = 0;
	bool fits = false, too_much = false;

	*f = (struct et_first_check){ .state = ET_FIRST_CHECK_DONE };
	for (size_t i = 0; i < e->n_commands; i++) {
		too_much = check_daemons(&all[i], &would_remove) || too_much;
		fits = fits || all[i].cutoffs;
	}
	if (cutoffs)
		f->learned_wall_ns = cutoffs->learned_wall_ns;
	for (size_t i = 0; cutoffs && i < cutoffs->n; i++) {
		const struct et_cutoff *c = &cutoffs->list[i];
		f->cutoffs += !is_below_floor(cutoffs, c->final_ms[c->n_final > 1]);
	}
	if (!has_processes(e))
		f->state = ET_FIRST_CHECK_UNSEEN;
	else if (!cutoffs)
		f->state = ET_FIRST_CHECK_UNLEARNED;
	else if (!fits)
		f->state = ET_FIRST_CHECK_LENGTH;
	else if (too_much)
		f->state = ET_FIRST_CHECK_WITHDRAWN;
	f->would_remove = too_much ? would_remove : 0;
	for (size_t i = 0; !too_much && i < e->n_commands; i++) {
		all[i].spoilt |= ET_MARK_DAEMON;
		if (!all[i].keep)
			remove_marked(&all[i], ET_MARK_DAEMON, ET_REMOVED_DAEMON_CUTOFF);
	}
}

/* --- how fast the machine was --- */

static size_t take_readings(const struct et_sample *s, double *out)
{
	uint64_t both[] = { s->measured.probe_before_ns, s->measured.probe_after_ns };
	size_t n = 0;

	for (int i = 0; i < 2; i++) {
		if (both[i] != ET_UNKNOWN && both[i] > 0)
			out[n++] = (double)both[i];
	}
	return n;
}

double et_probe_fast_ns(const struct et_experiment *e)
{
	size_t room = 0, n = 0;

	for (size_t k = 0; k < e->n_commands; k++)
		room += 2 * e->commands[k].samples.n;
	ET_AUTO_FREE double *x = et_calloc(room + 1, sizeof(*x));
	for (size_t k = 0; k < e->n_commands; k++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[k].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			n += take_readings(s, &x[n]);
	}
	if (n < ET_PROBE_LEAST)
		return NAN;
	et_sort(x, n);
	return et_quantile_sorted(x, n, 0.1);
}

/* Returns the evidence against a sample; .by is ET_KEPT if there is none. */
static struct et_removal slow_by(const struct et_sample *s, double fast_ns)
{
	double readings[2], limit_ns = ET_PROBE_LIMIT * fast_ns, slower = 0;
	double steal_limit_ns = ET_STEAL_TICK_NS + ET_STEAL_LIMIT * (double)s->measured.elapsed_ns;

	for (size_t i = 0, n = take_readings(s, readings); i < n; i++)
		slower = fmax(slower, readings[i]);
	if (slower > limit_ns) /* false for NaN */
		return (struct et_removal){ .by = ET_REMOVED_MACHINE_SLOW,
			.probe_ns = et_u64(slower),
			.limit_ns = et_u64(limit_ns) };
	if (s->measured.steal_ns != ET_UNKNOWN && s->measured.elapsed_ns != ET_UNKNOWN &&
		(double)s->measured.steal_ns > steal_limit_ns)
		return (struct et_removal){ .by = ET_REMOVED_MACHINE_SLOW,
			.steal_ns = s->measured.steal_ns,
			.limit_ns = et_u64(steal_limit_ns) };
	return (struct et_removal){ .by = ET_KEPT };
}

static bool is_solo(const struct et_sample *s, const struct verdict *v)
{
	return is_judged(s, v) && s->place.arrangement == ET_SOLO;
}

/* Collects the judged times of unspoilt solo runs, and their verdicts. The caller frees both. */
static size_t collect(const struct check *k, double **x, struct verdict ***of)
{
	size_t n = 0;

	*x = et_calloc(k->c->samples.n + 1, sizeof(**x));
	*of = et_calloc(k->c->samples.n + 1, sizeof(**of));
	et_for_each_sample(s, &k->c->samples) {
		struct verdict *v = &k->verdicts[s->place.index - 1];
		uint64_t value = et_sample_metric(s, k->metric);
		if (!is_solo(s, v) || v->marks & k->spoilt || value == ET_UNKNOWN)
			continue;
		(*of)[n] = v;
		(*x)[n++] = (double)value;
	}
	return n;
}

/* Adds a command to the test. Returns false if its mean needs the slow samples. */
static bool can_spare_slow(const struct check *k, double level, struct et_rank_strata *test)
{
	ET_AUTO_FREE double *x = NULL;
	ET_AUTO_FREE struct verdict **of = NULL;
	size_t n = collect(k, &x, &of), n_fast = 0;
	ET_AUTO_FREE double *fast = et_calloc(n + 1, sizeof(*fast));
	ET_AUTO_FREE bool *slow = et_calloc(n + 1, sizeof(*slow));

	for (size_t i = 0; i < n; i++) {
		slow[i] = of[i]->marks & ET_MARK_MACHINE_SLOW;
		if (!slow[i])
			fast[n_fast++] = x[i];
	}
	et_rank_strata_add(test, x, slow, n);
	if (n_fast == n)
		return true;
	return n_fast >= ET_SPEED_LEAVES &&
	       et_mean_interval(fast, n_fast, level).half <= et_mean_interval(x, n, level).half;
}

/* Whether the slow samples of all commands shall be removed. */
static bool shall_remove_slow(const struct et_experiment *e, const struct check *list)
{
	double level = e->plan.level > 0 ? e->plan.level : 0.95; /* imported records may lack it */
	struct et_rank_strata test = { 0 };
	bool spare = true;

	for (size_t i = 0; i < e->n_commands; i++)
		spare = can_spare_slow(&list[i], level, &test) && spare;
	return spare && et_rank_strata_p(&test) < ET_SPEED_ALPHA; /* false for NaN */
}

/* The check for a slow machine, which EMP does not have: it marks samples there. */
static void check_speed(const struct et_experiment *e, struct check *all)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		et_for_each_sample(s, &all[i].c->samples) {
			struct verdict *v = &all[i].verdicts[s->place.index - 1];
			if (is_solo(s, v) && slow_by(s, all[i].fast_ns).by != ET_KEPT)
				v->marks |= ET_MARK_MACHINE_SLOW;
		}
	}
	if (!e->n_commands || all[0].emp || !shall_remove_slow(e, all))
		return;
	for (size_t i = 0; i < e->n_commands; i++) {
		all[i].spoilt |= ET_MARK_MACHINE_SLOW;
		if (!all[i].keep)
			remove_marked(&all[i], ET_MARK_MACHINE_SLOW, ET_REMOVED_MACHINE_SLOW);
	}
}

/* --- two sigma --- */

/* The second check. Spoilt samples do not contribute to the mean and sd. */
static void check_second(struct check *k)
{
	ET_AUTO_FREE double *x = NULL;
	ET_AUTO_FREE struct verdict **of = NULL;
	size_t n = collect(k, &x, &of);
	ET_AUTO_FREE bool *outside = et_calloc(n + 1, sizeof(*outside));

	et_two_sigma(x, n, outside);
	for (size_t i = 0; i < n; i++) {
		if (outside[i] && (k->keep || !k->emp))
			of[i]->marks |= ET_MARK_TWO_SIGMA;
		else if (outside[i])
			of[i]->by = ET_REMOVED_TWO_SIGMA;
	}
}

size_t et_two_sigma(const double *x, size_t n, bool *outside)
{
	double mean = n < ET_TWO_SIGMA_LEAST ? 0 : et_mean(x, n);
	double sd = n < ET_TWO_SIGMA_LEAST ? INFINITY : et_sd(x, n);
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		outside[i] = fabs(x[i] - mean) > 2 * sd;
		found += outside[i];
	}
	return found;
}

/* --- rulings --- */

static struct et_ruling rule(
	const struct check *k, const struct et_sample *s, const struct verdict *v)
{
	struct et_ruling r = { .marks = v->marks, .removal.by = v->by };

	if (v->by == ET_REMOVED_DAEMON_CUTOFF)
		r.removal = cut_off_by(k, s);
	else if (v->by == ET_REMOVED_MACHINE_SLOW)
		r.removal = slow_by(s, k->fast_ns);
	else if (v->by == s->ruling.removal.by && !is_ours(v->by))
		r.removal = s->ruling.removal;
	return r;
}

static bool differ(const struct et_ruling *a, const struct et_ruling *b)
{
	return a->marks != b->marks || a->removal.by != b->removal.by ||
	       a->removal.cpu_ns != b->removal.cpu_ns ||
	       a->removal.cutoff_ns != b->removal.cutoff_ns ||
	       a->removal.probe_ns != b->removal.probe_ns ||
	       a->removal.steal_ns != b->removal.steal_ns ||
	       a->removal.limit_ns != b->removal.limit_ns ||
	       strncmp(a->removal.daemon, b->removal.daemon, sizeof(a->removal.daemon));
}

/* The samples whose ruling changed. */
struct changes {
	struct et_changed *list;
	size_t n, room;
};

static void record(const struct check *k, uint32_t command, struct changes *out)
{
	ET_AUTO_READER struct et_sample_reader r = read_for(k);

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		uint32_t at = s->place.index - 1;
		struct et_ruling ruling = rule(k, s, &k->verdicts[at]);
		if (!differ(&ruling, &s->ruling))
			continue;
		et_samples_edit(&k->c->samples, at)->ruling = ruling;
		ET_GROW(out->list, out->n, out->room);
		out->list[out->n++] = (struct et_changed){ command, at };
	}
}

/* The verdicts begin without the findings of earlier calls. */
static struct check begin_check(struct et_experiment *e, size_t command, enum et_protocol protocol,
	const struct et_cutoffs *cutoffs, double fast_ns)
{
	const uint32_t ours = ET_MARK_DAEMON | ET_MARK_TWO_SIGMA | ET_MARK_MACHINE_SLOW;
	struct check k = { .c = &e->commands[command],
		.seconds = usual_seconds(&e->commands[command], true),
		.fast_ns = fast_ns,
		.metric = et_metric_choose(e).metric,
		.keep = e->plan.keep_all,
		.emp = protocol == ET_PROTOCOL_EMP };
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&k.c->samples);

	k.cutoffs = cutoffs && et_cutoffs_fit(cutoffs, k.seconds) ? cutoffs : NULL;
	struct verdict *v = k.verdicts = et_calloc(k.c->samples.n + 1, sizeof(*k.verdicts));
	for (const struct et_sample *s; (s = et_sample_reader_next(&r)); v++) {
		v->marks = s->ruling.marks & ~ours;
		v->by = is_ours(s->ruling.removal.by) ? ET_KEPT : s->ruling.removal.by;
	}
	return k;
}

bool et_protocol_checks(enum et_protocol p)
{
	return p == ET_PROTOCOL_CAUSE || p == ET_PROTOCOL_EMP;
}

struct et_changed *et_sanity_check(
	struct et_experiment *e, const struct et_cutoffs *cutoffs, size_t *n)
{
	ET_AUTO_FREE struct check *all = et_calloc(e->n_commands + 1, sizeof(*all));
	enum et_protocol protocol = et_protocol_choose(e).protocol;
	/* A disturbed run takes longer, but no more memory. */
	bool checks = et_protocol_checks(protocol) && et_metric_is_time(et_metric_choose(e).metric);
	struct changes changes = { 0 };
	double fast_ns = et_probe_fast_ns(e);

	for (size_t i = 0; i < e->n_commands; i++)
		all[i] = begin_check(e, i, protocol, cutoffs, fast_ns);
	e->first_check = (struct et_first_check){ .state = ET_FIRST_CHECK_NONE };
	if (checks) {
		check_first(e, cutoffs, all);
		check_speed(e, all);
	}
	for (uint32_t i = 0; i < e->n_commands; i++) {
		if (checks)
			check_second(&all[i]);
		record(&all[i], i, &changes);
		free(all[i].verdicts);
	}
	*n = changes.n;
	return changes.list;
}

struct et_changed *et_sanity_check_again(struct et_experiment *e, enum et_protocol protocol,
	int metric, const struct et_cutoffs *cutoffs, size_t *n)
{
	e->protocol = protocol;
	e->metric_auto = metric == ET_METRIC_AUTO;
	if (!e->metric_auto)
		e->metric = (enum et_metric)metric;
	e->plan.keep_all = false;
	et_metric_settle(e);
	return et_sanity_check(e, cutoffs, n);
}
