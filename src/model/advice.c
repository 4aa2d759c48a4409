/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/advice.h"

#include <math.h>
#include <string.h>

/* The chapter's bounds: what fits between interruptions, and what ticks count to a percent. */
static const double bounds_s[ET_ADVICE_LENGTHS + 1] = { 0, 0.01, 1, INFINITY };

/* CPU time so fine is exact to a thousandth from 10 ms on. */
static const double EXACT_NS = 10000;

/* "a timer interrupt takes at least 2.1 µs every 4 ms (0.05 %)", if that is known. */
static const char *timer_share(const struct et_timing_facts *f, char buf[96])
{
	if (f->tick_ns > 0 && f->timer_ns > 0)
		snprintf(buf, 96,
			"a timer interrupt takes at least %.2g µs every %.3g ms (%.2g %%)",
			f->timer_ns / 1e3, f->tick_ns / 1e6, 100 * f->timer_ns / f->tick_ns);
	else
		snprintf(buf, 96, "the cost of a timer interrupt is not known here");
	return buf;
}

static void advise_short(const struct et_timing_facts *f, struct et_advice *a)
{
	char timer[96];

	a->method = "kbest";
	a->clock = f->counter ? "counter" : "CLOCK_MONOTONIC";
	a->protocol = ET_PROTOCOL_KBEST;
	if (a->loaded)
		snprintf(a->why, sizeof(a->why),
			"some runs shorter than a time slice are not interrupted, and these are "
			"the fastest%s",
			f->counter ? "" : "; no counter has a fixed rate and agrees on all CPUs");
	else
		snprintf(a->why, sizeof(a->why),
			"the fastest runs contain the fewest interrupts; %s",
			timer_share(f, timer));
}

/* Runs of 10 ms or more are usually interrupted; CPU time, if it is exact, excludes that. */
static void advise_by_cpu_time(const struct et_timing_facts *f, struct et_advice *a)
{
	char timer[96];

	a->method = "cpu-time";
	a->clock = "CLOCK_PROCESS_CPUTIME_ID";
	a->protocol = ET_PROTOCOL_CAUSE;
	if (a->from_s >= 1)
		snprintf(a->why, sizeof(a->why), "%s",
			a->loaded ? "exact here as well: other processes affect it only through "
				    "the caches"
				  : "exact here, and equal to elapsed time if no other process "
				    "runs; report the mean of several runs with its uncertainty");
	else if (a->loaded)
		snprintf(a->why, sizeof(a->why),
			"other processes run during every sample, but their time does not count; "
			"its step is %.3g ns here, not a tick",
			f->cpu_step_ns);
	else
		snprintf(a->why, sizeof(a->why),
			"its step is %.3g ns here, not a tick, and a reading takes %.3g ns; %s, "
			"which counts as the program's time",
			f->cpu_step_ns, f->cpu_latency_ns, timer_share(f, timer));
}

/* The chapter's own machine: CPU time is counted in ticks. */
static void advise_by_ticks(const struct et_timing_facts *f, struct et_advice *a)
{
	char timer[96];

	a->protocol = ET_PROTOCOL_CAUSE;
	if (!a->loaded && a->to_s <= 1) {
		a->method = "kbest-compensated";
		a->clock = f->counter ? "counter" : "CLOCK_MONOTONIC";
		a->protocol = ET_PROTOCOL_KBEST;
		snprintf(a->why, sizeof(a->why), "CPU time is too coarse; %s: subtract that",
			timer_share(f, timer));
	} else if (!a->loaded) {
		a->method = "elapsed";
		a->clock = "CLOCK_MONOTONIC";
		snprintf(a->why, sizeof(a->why),
			"CPU time is coarse, and on an idle machine elapsed time is the program's "
			"own");
	} else if (a->to_s <= 1) {
		a->method = "none";
		a->clock = NULL;
		snprintf(a->why, sizeof(a->why),
			"every sample is interrupted and CPU time is too coarse; wait until the "
			"machine is idle");
	} else {
		a->method = "ticks";
		a->clock = "times";
		snprintf(a->why, sizeof(a->why),
			"CPU time is counted in ticks: over this long a time, an error of a few "
			"ticks is small");
	}
}

void et_advise_length(
	const struct et_timing_facts *f, size_t length, bool loaded, struct et_advice *out)
{
	*out = (struct et_advice){
		.from_s = bounds_s[length], .to_s = bounds_s[length + 1], .loaded = loaded
	};
	if (length == 0)
		advise_short(f, out);
	else if (f->cpu_step_ns <= EXACT_NS)
		advise_by_cpu_time(f, out);
	else
		advise_by_ticks(f, out);
}

void et_advise(const struct et_timing_facts *f, double seconds, bool loaded, struct et_advice *out)
{
	size_t length = 0;

	while (length + 1 < ET_ADVICE_LENGTHS && seconds >= bounds_s[length + 1])
		length++;
	et_advise_length(f, length, loaded, out);
}

/* --- an experiment --- */

struct look {
	double seconds, waited_ns, elapsed_ns;
};

/* Warm-up runs before the first that counts: a resumed experiment warms up again, too late. */
static void look_at(const struct et_command *c, enum et_metric metric, struct look *l)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	double fastest = INFINITY;

	for (const struct et_sample *s; (s = et_sample_reader_next(&r)) && s->place.warmup;) {
		uint64_t ns = et_sample_metric(s, metric);
		if (ns == ET_UNKNOWN)
			ns = s->measured.elapsed_ns;
		fastest = fmin(fastest, (double)ns / 1e9);
		l->elapsed_ns += (double)s->measured.elapsed_ns;
		l->waited_ns += s->measured.wait_ns == ET_UNKNOWN ? 0 : (double)s->measured.wait_ns;
	}
	if (isfinite(fastest) && !(fastest < l->seconds))
		l->seconds = fastest;
}

struct et_choice et_protocol_choose(const struct et_experiment *e)
{
	const double loaded_share = 0.05;
	/* Of the kernel's sum of run times, which control groups and wait4 tell to a microsecond.
	 */
	struct et_timing_facts f = { .tick_ns = (double)e->host.tick_ns,
		.timer_ns = NAN,
		.cpu_step_ns = 1000,
		.cpu_latency_ns = NAN };
	struct et_choice choice = { .protocol = e->protocol, .seconds = NAN };
	struct look l = { .seconds = NAN };
	struct et_advice a;
	/* Later runs may change which time is judged, but not the protocol. */
	enum et_metric metric = e->metric_auto ? ET_METRIC_ELAPSED : e->metric;

	if (e->protocol != ET_PROTOCOL_AUTO)
		return choice;
	for (size_t c = 0; c < e->n_commands; c++)
		look_at(&e->commands[c], metric, &l);
	choice.automatic = true;
	choice.seconds = l.seconds;
	choice.loaded = l.waited_ns > loaded_share * l.elapsed_ns;
	choice.protocol = ET_PROTOCOL_CAUSE;
	if (isnan(l.seconds)) {
		snprintf(choice.why, sizeof(choice.why), "no warm-up run shows how long it takes");
		return choice;
	}
	et_advise(&f, l.seconds, choice.loaded, &a);
	choice.protocol = a.protocol;
	snprintf(choice.why, sizeof(choice.why), "%.3g ms in the warm-up, %s: %s", 1e3 * l.seconds,
		choice.loaded ? "interrupted by others" : "not interrupted by others",
		a.protocol == ET_PROTOCOL_KBEST
			? "the fastest of several short runs contain the fewest interruptions"
			: "most runs are interrupted, and the mean of CPU times allows for it");
	return choice;
}
