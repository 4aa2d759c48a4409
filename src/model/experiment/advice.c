/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/advice.h"

static const double TWICE = 2;      /* another method must be this much more accurate */
static const double ENOUGH = 0.005; /* an error below this needs no compensation */
static const double USELESS = 0.1;  /* no method is advised that is worse */

/* Lengths for which advice is given: ten per decade, 10 µs to 100 s. Shorter code is repeated. */
enum { PER_DECADE = 10, DECADES = 7 };
static const double SHORTEST_S = 1e-5;

/* --- one length --- */

static const double ROUNDING = 1.001;

/* Nobody knows what the best runs lose that are longer than all that were measured. */
static bool is_beyond(const struct et_length_facts *l, double ns)
{
	return ns > 1e9 * ROUNDING * l->seconds;
}

static double timer_share(const struct et_timing_facts *f)
{
	return f->timer_ns / f->tick_ns;
}

/* Infinite if the method cannot be used. */
static double kbest_error(
	const struct et_timing_facts *f, const struct et_length_facts *l, double ns)
{
	if (!f->clock || is_beyond(l, ns) || !(l->best <= ET_ADVICE_LOSS) ||
		l->fits < ET_ADVICE_FITS)
		return INFINITY;
	return f->clock_ns / ns + l->best;
}

/* The best runs' loss to timer interrupts is subtracted, as well as their cost is known. */
static double compensated_error(
	const struct et_timing_facts *f, const struct et_length_facts *l, double ns)
{
	double share = timer_share(f);

	if (!f->clock || is_beyond(l, ns) || !(share > 0) || !(f->timer_doubt >= 0) ||
		!(l->best <= TWICE * share + ET_ADVICE_LOSS))
		return INFINITY;
	return f->clock_ns / ns + fmax(0, l->best - share) + fmin(share, l->best) * f->timer_doubt;
}

static double cpu_error(const struct et_timing_facts *f, double ns)
{
	if (!f->cpu_clock || isnan(f->cpu_step_ns))
		return INFINITY;
	return (f->cpu_step_ns + (isnan(f->cpu_latency_ns) ? 0 : f->cpu_latency_ns)) / ns +
	       (isnan(f->cpu_excess) ? 0 : fabs(f->cpu_excess));
}

/* "0.3 %" */
static const char *percent(double share, char buf[24])
{
	snprintf(buf, 24, "%.2g %%", 100 * share);
	return buf;
}

static void explain(
	const struct et_timing_facts *f, const struct et_length_facts *l, struct et_advice *a)
{
	char first[24], second[24];

	if (!strcmp(a->method, "kbest"))
		snprintf(a->why, sizeof(a->why),
			"%.0f %% of such runs lose at most %s to interrupts and other processes "
			"now, the best fifth at most %s",
			100 * l->fits, percent(ET_ADVICE_LOSS, first), percent(l->best, second));
	else if (!strcmp(a->method, "kbest-compensated"))
		snprintf(a->why, sizeof(a->why),
			"the best fifth of such runs loses %s; a timer interrupt takes %.2g µs "
			"every %.3g ms (%s): subtract that",
			percent(l->best, second), f->timer_ns / 1e3, f->tick_ns / 1e6,
			percent(timer_share(f), first));
	else if (!strcmp(a->method, "cpu-time"))
		snprintf(a->why, sizeof(a->why),
			"%.0f %% of such runs lose more than %s to interrupts and other processes "
			"now, and CPU time does not count the latter; its step is %.3g ns, a "
			"reading takes %.3g ns, and interrupts add %s",
			100 * (1 - l->fits), percent(ET_ADVICE_LOSS, second), f->cpu_step_ns,
			f->cpu_latency_ns,
			percent(isnan(f->cpu_excess) ? 0 : fabs(f->cpu_excess), first));
	else if (!strcmp(a->method, "ticks"))
		snprintf(a->why, sizeof(a->why),
			"CPU time is counted in ticks of %.3g ms, which is %s of this length",
			f->cpu_step_ns / 1e6, percent(f->cpu_step_ns / 1e9 / a->from_s, first));
	else if (!strcmp(a->method, "elapsed"))
		snprintf(a->why, sizeof(a->why),
			"CPU time is too coarse, and such runs lose only %s to others now",
			percent(l->mean, first));
	else
		snprintf(a->why, sizeof(a->why),
			"every method would be off by more than %s under the present load; wait "
			"until the machine is idle",
			percent(USELESS, first));
}

/* A method takes the place of a simpler one only if it is much more accurate. */
static void consider(struct et_advice *a, const char *method, const char *clock,
	enum et_protocol protocol, double error)
{
	if (!(error * TWICE <= a->error))
		return;
	a->method = method;
	a->clock = clock;
	a->protocol = protocol;
	a->error = error;
}

static void choose(const struct et_timing_facts *f, const struct et_length_facts *l, double seconds,
	struct et_advice *out)
{
	double ns = 1e9 * seconds;

	*out = (struct et_advice){ .from_s = seconds,
		.to_s = seconds,
		.method = f->cpu_ticks ? "ticks" : "cpu-time",
		.clock = f->cpu_clock,
		.protocol = ET_PROTOCOL_CAUSE,
		.error = cpu_error(f, ns) };
	consider(out, "kbest", f->clock, ET_PROTOCOL_KBEST, kbest_error(f, l, ns));
	consider(out, "elapsed", f->clock, ET_PROTOCOL_CAUSE,
		f->clock ? f->clock_ns / ns + l->mean : INFINITY);
	if (out->error > ENOUGH)
		consider(out, "kbest-compensated", f->clock, ET_PROTOCOL_KBEST,
			compensated_error(f, l, ns));
	if (out->error > USELESS) {
		out->method = "none";
		out->clock = NULL;
		out->protocol = ET_PROTOCOL_CAUSE;
		out->error = NAN;
	}
}

void et_advise(const struct et_timing_facts *f, double seconds, struct et_advice *out)
{
	const struct et_length_facts none = { seconds, NAN, NAN, NAN };
	size_t i = 0;

	/* Lengths beyond the longest measured one lose the same proportion on average. */
	while (i + 1 < f->n_lengths && f->lengths[i].seconds * ROUNDING < seconds)
		i++;
	const struct et_length_facts *l = f->n_lengths ? &f->lengths[i] : &none;
	choose(f, l, seconds, out);
	explain(f, l, out);
}

/* --- all lengths --- */

static double length_at(size_t i)
{
	return SHORTEST_S * pow(10, (double)i / PER_DECADE);
}

/* Runs of K-best lose most at the end of its range; of other methods, at the beginning. */
static void end_range(const struct et_timing_facts *f, double to_s, struct et_advice *a)
{
	double from_s = a->from_s;

	if (a->protocol == ET_PROTOCOL_KBEST)
		et_advise(f, to_s, a);
	a->from_s = from_s;
	a->to_s = to_s;
}

static bool is_advised(const struct et_advice *list, size_t n, const char *method)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i].method, method))
			return true;
	}
	return false;
}

size_t et_advise_all(const struct et_timing_facts *f, struct et_advice out[ET_ADVICE_MOST])
{
	size_t n = 0;

	if (!f->n_lengths)
		return 0;
	for (size_t i = 0; i <= (size_t)PER_DECADE * DECADES; i++) {
		struct et_advice a, next;
		et_advise(f, length_at(i), &a);
		/* Chance may favour the present method again, or another one at a single length. */
		et_advise(f, length_at(i + 1), &next);
		if (n && (n == ET_ADVICE_MOST || is_advised(out, n, a.method) ||
				 strcmp(a.method, next.method)))
			continue;
		a.from_s = n ? length_at(i - 1) : 0;
		if (n)
			end_range(f, a.from_s, &out[n - 1]);
		out[n++] = a;
	}
	out[n - 1].to_s = INFINITY;
	return n;
}

/* --- an experiment --- */

/* Proportion of its elapsed time for which a run may wait for a CPU and count as undisturbed. */
static const double DISTURBED = 0.05;

struct look {
	double seconds, waited_ns, elapsed_ns;
	double fits; /* the least of all commands */
};

static bool is_disturbed(const struct et_sample *s)
{
	if (s->measured.wait_ns == ET_UNKNOWN)
		return s->measured.involuntary_switches != ET_UNKNOWN &&
		       s->measured.involuntary_switches > 0;
	return (double)s->measured.wait_ns > DISTURBED * (double)s->measured.elapsed_ns;
}

/* The first execution to count. In sequential order each command has its own, after its warm-up. */
static uint32_t first_counted(const struct et_experiment *e)
{
	uint32_t first = UINT32_MAX;

	for (size_t c = 0; e->plan.order != ET_ORDER_SEQUENTIAL && c < e->n_commands; c++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[c].samples);
		const struct et_sample *s = et_sample_reader_next(&r);
		while (s && s->place.warmup)
			s = et_sample_reader_next(&r);
		if (s && s->place.order < first)
			first = s->place.order;
	}
	return first;
}

/* Warm-up runs before the first that counts: a resumed experiment warms up again, too late. */
static void look_at(
	const struct et_command *c, uint32_t before, enum et_metric metric, struct look *l)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	double fastest = INFINITY, runs = 0, undisturbed = 0;

	for (const struct et_sample *s;
		(s = et_sample_reader_next(&r)) && s->place.warmup && s->place.order <= before;) {
		uint64_t ns = et_sample_metric(s, metric);
		if (ns == ET_UNKNOWN)
			ns = s->measured.elapsed_ns;
		fastest = fmin(fastest, (double)ns / 1e9);
		l->elapsed_ns += (double)s->measured.elapsed_ns;
		l->waited_ns += s->measured.wait_ns == ET_UNKNOWN ? 0 : (double)s->measured.wait_ns;
		runs++;
		undisturbed += !is_disturbed(s);
	}
	if (!(runs > 0))
		return;
	if (!(fastest < l->seconds))
		l->seconds = fastest;
	l->fits = fmin(l->fits, undisturbed / runs);
}

/* The fastest runs are better than the mean only if some of them meet no interrupt at all. */
static void decide(double tick_s, struct et_choice *c)
{
	const double usual_tick_s = 0.004;
	double tick = tick_s > 0 ? tick_s : usual_tick_s;

	if (c->fits < ET_ADVICE_FITS)
		snprintf(c->why, sizeof(c->why),
			"the mean of CPU times, because other processes disturbed the warm-up "
			"(%.3g ms)",
			1e3 * c->seconds);
	else if (c->seconds > (1 - ET_ADVICE_FITS) * tick)
		snprintf(c->why, sizeof(c->why),
			"the mean, because almost every run of %.3g ms meets a timer interrupt "
			"(one every %.3g ms), so the fastest is no better",
			1e3 * c->seconds, 1e3 * tick);
	else {
		c->protocol = ET_PROTOCOL_KBEST;
		snprintf(c->why, sizeof(c->why),
			"the fastest runs, because nothing disturbed the warm-up, and some runs of "
			"%.3g ms meet no timer interrupt (one every %.3g ms)",
			1e3 * c->seconds, 1e3 * tick);
	}
}

struct et_choice et_protocol_choose(const struct et_experiment *e)
{
	struct et_choice choice = { .protocol = e->protocol, .seconds = NAN, .fits = NAN };
	struct look l = { .seconds = NAN, .fits = NAN };
	/* Later runs may change which time is judged, but not the protocol. */
	enum et_metric metric = e->metric_auto ? ET_METRIC_ELAPSED : e->metric;

	/* The fastest runs are not those with the least memory. */
	if (!et_metric_is_time(metric) && e->protocol == ET_PROTOCOL_KBEST)
		choice.protocol = ET_PROTOCOL_CAUSE;
	if (e->protocol != ET_PROTOCOL_AUTO)
		return choice;
	uint32_t before = first_counted(e);
	for (size_t c = 0; c < e->n_commands; c++)
		look_at(&e->commands[c], before, metric, &l);
	choice.automatic = true;
	choice.seconds = l.seconds;
	choice.fits = l.fits;
	choice.loaded = l.waited_ns > DISTURBED * l.elapsed_ns;
	choice.protocol = ET_PROTOCOL_CAUSE;
	if (!et_metric_is_time(metric))
		snprintf(choice.why, sizeof(choice.why), "this metric is not a time");
	else if (isnan(l.seconds))
		snprintf(choice.why, sizeof(choice.why), "no warm-up run shows how long it takes");
	else
		decide((double)e->host.tick_ns / 1e9, &choice);
	return choice;
}
