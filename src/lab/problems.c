/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/problems.h"
#include "base/parse.h"

#include <time.h>

#define MS 1e6
#define S 1e9

const char *const et_problem_numbers[ET_PROBLEM_NUMBERS] = { "ticks", "interval", "time", "segment",
	"trials", "sleep", "mhz", "events", "cycles", "bits" };

void et_problem_values_init(struct et_problem_values *v)
{
	v->sequence = NULL;
	for (int i = 0; i < ET_PROBLEM_NUMBERS; i++)
		v->given[i] = NAN;
}

/* A problem to be solved: its numbers and where the answer goes. */
struct et_problem_task {
	double x[ET_PROBLEM_NUMBERS];
	const char *sequence;
	struct et_problem_answer *out;
	struct et_error *err;
};

static struct et_problem_figure *add(
	struct et_problem_task *t, enum et_problem_unit unit, const char *name, double value)
{
	struct et_problem_figure *f = &t->out->figures[t->out->n++];

	*f = (struct et_problem_figure){ .unit = unit, .value = value };
	snprintf(f->name, sizeof(f->name), "%s", name);
	return f;
}

/* --- the problems --- */

static int event_load(struct et_problem_task *t)
{
	add(t, ET_PROBLEM_SHARE, "load",
		t->x[ET_PROBLEM_EVENTS] * t->x[ET_PROBLEM_CYCLES] / (t->x[ET_PROBLEM_MHZ] * 1e6));
	return 0;
}

static int tick_count(struct et_problem_task *t)
{
	double ticks = t->x[ET_PROBLEM_TICKS], interval = t->x[ET_PROBLEM_INTERVAL];

	add(t, ET_PROBLEM_NS, "counted_ns", ticks * interval);
	add(t, ET_PROBLEM_NS, "least_ns", fmax(0, ticks - 1) * interval);
	add(t, ET_PROBLEM_NS, "most_ns", (ticks + 1) * interval);
	return 0;
}

struct stretch {
	char label[8];
	double ns, ticks;
};

enum { MOST_LABELS = (ET_PROBLEM_FIGURES / 2) };

/* "Au:12ms": a label and a duration. */
static int read_stretch(char *item, double *at, double interval, struct stretch *list, size_t *n,
	struct et_error *err)
{
	char *colon = strchr(item, ':');
	uint64_t ns;

	if (!colon || colon == item || colon - item >= (int)sizeof(list->label))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "--sequence: '%s' is not LABEL:DUR",
				item),
			"give a label of at most %zu letters and a duration, such as Au:12ms",
			sizeof(list->label) - 1);
	*colon = '\0';
	int rc = et_parse_duration("--sequence", colon + 1, &ns, err);
	if (rc)
		return rc;
	struct stretch *s = list;
	while (s < list + *n && strcmp(s->label, item) != 0)
		s++;
	if (s == list + MOST_LABELS)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "--sequence: more than %d labels", MOST_LABELS);
	*n += s == list + *n;
	snprintf(s->label, sizeof(s->label), "%s", item);
	/* A tick is charged to the activity just before it. */
	s->ticks += floor((*at + (double)ns) / interval) - floor(*at / interval);
	s->ns += (double)ns;
	*at += (double)ns;
	return 0;
}

static int charged(struct et_problem_task *t)
{
	double at = 0, interval = t->x[ET_PROBLEM_INTERVAL];
	struct stretch list[MOST_LABELS] = { 0 };
	ET_AUTO_FREE char *text = et_strdup(t->sequence);
	char *rest = text, *item;
	size_t n = 0;

	while ((item = strsep(&rest, ","))) {
		int rc = read_stretch(item, &at, interval, list, &n, t->err);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < n; i++) {
		char name[32];
		snprintf(name, sizeof(name), "%.7s_charged_ns", list[i].label);
		add(t, ET_PROBLEM_NS, name, list[i].ticks * interval);
		snprintf(name, sizeof(name), "%.7s_true_ns", list[i].label);
		add(t, ET_PROBLEM_NS, name, list[i].ns);
	}
	return 0;
}

static int fit_segment(struct et_problem_task *t)
{
	double time = t->x[ET_PROBLEM_TIME], segment = t->x[ET_PROBLEM_SEGMENT];
	double chance = fmax(0, 1 - time / segment);

	add(t, ET_PROBLEM_SHARE, "chance", chance);
	add(t, ET_PROBLEM_COUNT, "expected_trials",
		chance > 0 ? t->x[ET_PROBLEM_TRIALS] / chance : NAN);
	if (!(chance > 0))
		t->out->sentence = "The procedure takes as long as a segment or longer: no trial "
				   "ever runs without an interruption.";
	return 0;
}

static int sleep_rate(struct et_problem_task *t)
{
	double interval = t->x[ET_PROBLEM_INTERVAL], asked = t->x[ET_PROBLEM_SLEEP];
	double most = ceil(asked / interval - 1e-9) * interval, least = most - interval;
	double cycles = t->x[ET_PROBLEM_MHZ] * 1e6 * asked / S;

	if (!(least > 0))
		return et_fail(
			t->err, EINVAL, ET_EXIT_USAGE, "--sleep must be longer than --interval");
	add(t, ET_PROBLEM_NS, "least_sleep_ns", least);
	add(t, ET_PROBLEM_NS, "most_sleep_ns", most);
	add(t, ET_PROBLEM_HZ, "least_rate_hz", cycles / most * S);
	add(t, ET_PROBLEM_HZ, "most_rate_hz", cycles / least * S);
	return 0;
}

static int counter_wrap(struct et_problem_task *t)
{
	static const double YEAR_S = 365.25 * 86400;
	double seconds = ldexp(1, (int)t->x[ET_PROBLEM_BITS]) / (t->x[ET_PROBLEM_MHZ] * 1e6);

	add(t, ET_PROBLEM_NS, "wraps_after_ns", seconds * S);
	add(t, ET_PROBLEM_YEARS, "years", seconds / YEAR_S);
	return 0;
}

static int time_overflow(struct et_problem_task *t)
{
	int bits = (int)t->x[ET_PROBLEM_BITS];
	double seconds = ldexp(1, bits - 1);
	time_t when = bits <= 54 ? (time_t)seconds : 0;
	struct tm tm;

	/* Years have at most nine digits in a struct tm, and in the text. */
	if (bits > 54 || !gmtime_r(&when, &tm))
		return et_fail(t->err, ERANGE, ET_EXIT_USAGE, "--bits: at most 54 have a date");
	add(t, ET_PROBLEM_COUNT, "seconds", seconds);
	struct et_problem_figure *f = add(t, ET_PROBLEM_TEXT, "date", NAN);
	snprintf(f->text, sizeof(f->text), "%d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return 0;
}

const struct et_problem et_problems[] = {
	{ .name = "event-load",
		.question = "which share of a CPU do interrupts take?",
		.source = "practice problem 9.1",
		.usual = { [ET_PROBLEM_EVENTS] = 1000,
			[ET_PROBLEM_CYCLES] = 100000,
			[ET_PROBLEM_MHZ] = 1000 },
		.solve = event_load,
		.sentence =
			"The load is the number of events per second, times the cycles that each "
			"takes, by the clock rate. 100 people who type 100 words of 6 letters "
			"per minute make 1000 events." },
	{ .name = "charged",
		.question = "what do ticks charge to each process and mode of a sequence?",
		.source = "practice problem 9.3",
		.sequence = "Au:12ms,As:6ms,Bu:15ms,Bs:7ms",
		.usual = { [ET_PROBLEM_INTERVAL] = 10 * MS },
		.solve = charged,
		.sentence =
			"Each tick, the first of which comes an interval after the begin, charges "
			"a whole interval to the activity just before it." },
	{ .name = "tick-count",
		.question = "how long did a segment take that some ticks hit?",
		.source = "practice problem 9.4",
		.usual = { [ET_PROBLEM_TICKS] = 7, [ET_PROBLEM_INTERVAL] = 10 * MS },
		.solve = tick_count,
		.sentence = "The true time is between both: the segment may begin just before its "
			    "first tick and end just after its last, or begin just after the tick "
			    "before and end just before the next." },
	{ .name = "fit-segment",
		.question = "how often does a run fit between two interruptions?",
		.source = "practice problem 9.7",
		.usual = { [ET_PROBLEM_TIME] = 20 * MS,
			[ET_PROBLEM_SEGMENT] = 50 * MS,
			[ET_PROBLEM_TRIALS] = 3 },
		.solve = fit_segment,
		.sentence =
			"A trial that begins at a random instant of a segment ends within it with "
			"this chance, so that many trials are expected for the wanted number." },
	{ .name = "time-overflow",
		.question = "when does a count of seconds become negative?",
		.source = "practice problem 9.8",
		.usual = { [ET_PROBLEM_BITS] = 32 },
		.solve = time_overflow,
		.sentence = "A signed number of that many bits, which counts seconds from 1970, "
			    "becomes negative then." },
	{ .name = "counter-wrap",
		.question = "when does a cycle counter begin again?",
		.source = "section 9.3.1",
		.usual = { [ET_PROBLEM_BITS] = 64, [ET_PROBLEM_MHZ] = 1000 },
		.solve = counter_wrap,
		.sentence =
			"An unsigned counter of that many bits, which counts cycles, begins again "
			"at 0." },
	{ .name = "sleep-rate",
		.question = "how exact is a clock rate that was measured by sleep()?",
		.source = "homework problem 9.12",
		.usual = { [ET_PROBLEM_SLEEP] = 2 * S,
			[ET_PROBLEM_INTERVAL] = 10 * MS,
			[ET_PROBLEM_MHZ] = 1000 },
		.solve = sleep_rate,
		.sentence =
			"The sleep ends with a tick, and begins up to an interval after one: a "
			"rate that divides the cycles by the requested time is too low by up to "
			"interval / sleep." },
	{ 0 },
};

const char *et_problem_name(size_t i)
{
	return et_problems[i].name;
}

const struct et_problem *et_problem_find(const char *name)
{
	const struct et_problem *p = et_problems;

	while (p->name && strcmp(p->name, name))
		p++;
	return p->name ? p : NULL;
}

int et_problem_solve(const struct et_problem *p, const struct et_problem_values *given,
	struct et_problem_answer *out, struct et_error *err)
{
	struct et_problem_task t = { .sequence = given->sequence, .out = out, .err = err };

	for (int i = 0; i < ET_PROBLEM_NUMBERS; i++) {
		bool takes = p->usual[i] > 0, is_given = !isnan(given->given[i]);
		if (!takes && is_given)
			return et_fail(err, EINVAL, ET_EXIT_USAGE, "problem %s takes no --%s",
				p->name, et_problem_numbers[i]);
		t.x[i] = is_given ? given->given[i] : p->usual[i];
	}
	if (t.sequence && !p->sequence)
		return et_fail(
			err, EINVAL, ET_EXIT_USAGE, "problem %s takes no --sequence", p->name);
	if (!t.sequence)
		t.sequence = p->sequence;
	*out = (struct et_problem_answer){ .sentence = p->sentence };
	return p->solve(&t);
}
