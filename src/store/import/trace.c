/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/trace.h"
#include "store/import/importer.h"

enum { MOST_TRACES = 64 };

/* 2^52: more than an hour at the rate of any counter, and its sums are exact in a double. */
static const double MOST_TICKS = 4503599627370496.0;

struct reader {
	struct et_importer in;
	struct et_traces *traces;
	double hz_estimate;
	uint64_t nominal_ns;
};

/* A period, in either form. */
struct period {
	bool active;
	uint64_t index, start, duration;
	const json_t *from; /* the object, or NULL if the period is an array */
};

static uint64_t read_count(struct reader *r, const json_t *value, const struct et_import_place *at)
{
	return (uint64_t)et_to_number(&r->in, value, at, 0, MOST_TICKS);
}

static bool read_state(struct reader *r, const json_t *value, const struct et_import_place *at)
{
	const char *text = json_string_value(value);

	if (!text || (strcmp(text, "A") && strcmp(text, "I")))
		et_import_fail(&r->in, at, "is not \"A\" or \"I\"");
	return text && *text == 'A';
}

/* ["I", 0, 3726508, 275025], or {"state": "I", "index": 0, "start_ns": 10, "duration_ns": 5, …} */
static struct period read_period(
	struct reader *r, const json_t *from, const struct et_import_place *at)
{
	static const char *const keys[] = { "state", "index", "start_ns", "duration_ns" };
	bool object = json_is_object(from);
	struct et_import_place places[ET_LENGTH(keys)];
	const json_t *values[ET_LENGTH(keys)];
	struct period p = { .from = object ? from : NULL };

	if (!object && !json_is_array(from))
		et_import_fail(&r->in, at, "is not a period");
	if (!object && json_array_size(from) != ET_LENGTH(keys))
		et_import_fail(&r->in, at, "is not [state, index, start, duration]");
	for (size_t i = 0; i < ET_LENGTH(keys); i++) {
		values[i] = object ? json_object_get(from, keys[i]) : json_array_get(from, i);
		places[i] = (struct et_import_place){ at, object ? keys[i] : NULL, i };
	}
	p.active = read_state(r, values[0], &places[0]);
	p.index = read_count(r, values[1], &places[1]);
	p.start = read_count(r, values[2], &places[2]);
	p.duration = read_count(r, values[3], &places[3]);
	return p;
}

static void read_cause(struct reader *r, const struct period *p, const struct et_import_place *at,
	struct et_trace *t, struct et_inactive *to)
{
	struct et_import_place cause_at = { at, "cause", 0 };
	const char *cause = et_read_text(&r->in, p->from, "cause", at),
		   *name = et_read_text(&r->in, p->from, "process", at);

	if (!name)
		name = et_read_text(&r->in, p->from, "interrupt", at);
	if (r->in.failed || !cause)
		return;
	int which = et_name_index(et_cause_names, cause);
	if (which < 0) {
		et_import_fail(&r->in, &cause_at, "is not a cause");
		return;
	}
	t->source = "file";
	to->cause = (uint8_t)which;
	to->tick = json_is_true(json_object_get(p->from, "tick"));
	if (name)
		to->taker = et_trace_taker(t, to->cause, name);
}

/* The span of the periods so far: the next one must begin at its end. */
struct cursor {
	uint64_t begin, end;
	bool any;
};

static void add_period(struct reader *r, const struct period *p, const struct et_import_place *at,
	struct cursor *c, struct et_trace *t)
{
	if (!c->any) {
		c->begin = c->end = p->start;
		t->first_index = p->index;
		t->origin = p->start;
		c->any = true;
	}
	if (p->start != c->end)
		et_import_fail(&r->in, at, "begins at %llu, the one before it ends at %llu",
			(unsigned long long)p->start, (unsigned long long)c->end);
	c->end = p->start + p->duration;
	t->total = c->end - c->begin;
	if (p->active || r->in.failed)
		return;
	struct et_inactive *to = et_trace_add(t, p->start - c->begin, p->duration);
	if (p->from)
		read_cause(r, p, at, t, to);
}

/* Returns whether the periods are objects, not arrays. */
static bool read_periods(struct reader *r, struct et_list *l, struct et_trace *t)
{
	struct cursor c = { 0 };
	const json_t *element;
	bool objects = false;

	while ((element = et_list_next(l))) {
		struct period p = read_period(r, element, &l->here);
		if (l->at == 0)
			objects = p.from;
		if (!!p.from != objects)
			et_import_fail(&r->in, &l->here, "has another form than the first");
		if (!r->in.failed)
			add_period(r, &p, &l->here, &c, t);
	}
	if (t->total == 0)
		et_import_fail(&r->in, &l->list, "covers no time");
	return objects;
}

/* --- the timer's ticks in the output of `etalon trace --json` --- */

static void read_tick(struct reader *r, const json_t *object, const struct et_import_place *at,
	struct et_trace *t)
{
	struct et_import_place at_ns = { at, "at_ns", 0 };
	struct et_tick tick = { .at = read_count(r, json_object_get(object, "at_ns"), &at_ns) };
	const char *charged = et_read_text(&r->in, object, "charged", at),
		   *process = et_read_text(&r->in, object, "process", at);
	uint64_t last = t->n_ticks ? t->origin + t->ticks[t->n_ticks - 1].at : t->origin;

	if (tick.at < last || tick.at > t->origin + t->total)
		et_import_fail(&r->in, &at_ns, "is not in order, or outside of the trace");
	if (r->in.failed)
		return;
	tick.at -= t->origin;
	tick.estimated = json_is_true(json_object_get(object, "estimated"));
	if (charged && !strcmp(charged, "process"))
		tick.charged =
			process ? et_trace_taker(t, ET_CAUSE_PROCESS, process) : ET_TICK_OTHER;
	else
		tick.charged = charged && !strcmp(charged, "idle") ? ET_TICK_IDLE : ET_TICK_SELF;
	et_trace_add_tick(t, tick);
}

/* Times are in nanoseconds here, as those of the periods. */
static void read_timer(struct reader *r, const json_t *object, const struct et_import_place *at,
	struct et_trace *t)
{
	struct et_import_place timer_at = { at, "timer", 0 };
	const json_t *timer = json_object_get(object, "timer"), *element;

	if (!json_is_object(timer))
		return;
	ET_AUTO_LIST struct et_list l = et_list_of(&r->in, object, "ticks", at);
	if (!l.there)
		return;
	t->timer.interval = et_read_number(&r->in, timer, "interval_ns", &timer_at, 1e3, 1e12);
	t->timer.uncertainty = et_read_number(&r->in, timer, "uncertainty_ns", &timer_at, 0, 1e12);
	const char *found_by = et_read_text(&r->in, timer, "found_by", &timer_at);
	t->timer.by_records = found_by && !strcmp(found_by, "records");
	while ((element = et_list_next(&l)))
		read_tick(r, element, &l.here, t);
}

/* Converts periods from nanoseconds to ticks of a counter with the rate in the file. */
static void to_ticks(struct reader *r, const json_t *object, const struct et_import_place *at,
	struct et_trace *t)
{
	double hz = et_read_number(&r->in, object, "hz", at, 1e3, 1e12);
	double scale = hz / 1e9;

	for (size_t i = 0; i < t->n; i++) {
		struct et_inactive *p = &t->list[i];
		uint64_t end = (uint64_t)llround((double)(p->start + p->duration) * scale);
		p->start = (uint64_t)llround((double)p->start * scale);
		p->duration = end - p->start;
	}
	for (size_t i = 0; i < t->n_ticks; i++)
		t->ticks[i].at = (uint64_t)llround((double)t->ticks[i].at * scale);
	t->timer.interval *= scale;
	t->timer.uncertainty *= scale;
	t->timer.first = t->n_ticks ? t->ticks[0].at : 0;
	t->total = (uint64_t)llround((double)t->total * scale);
	t->origin = (uint64_t)llround((double)t->origin * scale);
	t->hz_estimate = hz;
}

/*
 * Takes the rate in the file, with which ticks become nanoseconds when the trace is written. These
 * have the limit of ticks, and a better rate may be found than the one in the file.
 */
static void take_estimate(struct reader *r, const struct et_import_place *at, struct et_trace *t)
{
	struct et_import_place mhz_at = { NULL, "mhz_estimate", 0 };

	if (r->hz_estimate == 0)
		et_import_fail(&r->in, &mhz_at, "is missing");
	t->hz_estimate = r->hz_estimate;
	if ((double)(t->origin + t->total) / t->hz_estimate * 1e9 > MOST_TICKS / 2)
		et_import_fail(&r->in, at, "covers more than 26 days");
}

/* Reads an object that has periods; an object without them is not a trace and is ignored. */
static void read_trace(
	struct reader *r, const json_t *object, const char *name, const struct et_import_place *at)
{
	ET_AUTO_LIST struct et_list l = et_list_of(&r->in, object, "periods", at);
	struct et_traces *all = r->traces;
	struct et_trace t;

	if (!l.there)
		return;
	if (all->n == MOST_TRACES) {
		et_import_fail(&r->in, at, "is one trace too many (%d)", MOST_TRACES);
		return;
	}
	et_trace_init(&t);
	t.name = name ? et_strdup(name) : NULL;
	t.timer.nominal_ns = r->nominal_ns;
	bool objects = read_periods(r, &l, &t);
	/* The trace of a program has no readings. */
	t.spins = !objects || json_is_number(json_object_get(object, "readings"));
	if (objects) {
		read_timer(r, object, at, &t);
		to_ticks(r, object, at, &t);
	} else {
		take_estimate(r, &l.list, &t);
	}
	ET_GROW(all->list, all->n, all->cap);
	all->list[all->n++] = t;
}

static void read_head(struct reader *r, const json_t *root)
{
	double mhz = 0, ms = 0;

	if (json_object_get(root, "mhz_estimate"))
		mhz = et_read_number(&r->in, root, "mhz_estimate", NULL, 0.01, 1e6);
	if (json_object_get(root, "timer_interval_ms"))
		ms = et_read_number(&r->in, root, "timer_interval_ms", NULL, 0.5, 25);
	r->hz_estimate = mhz * 1e6;
	r->nominal_ns = (uint64_t)llround(ms * 1e6);
}

/* Reads the traces that `etalon trace --json` wrote. */
static void read_list(struct reader *r, const json_t *root)
{
	ET_AUTO_LIST struct et_list l = et_list_of(&r->in, root, "traces", NULL);
	const json_t *object;

	while ((object = et_list_next(&l))) {
		const json_t *name = json_object_get(object, "name");
		read_trace(r, object, et_is_string(&r->in, name) ? json_string_value(name) : NULL,
			&l.here);
	}
}

static void read_root(struct reader *r, json_t *root)
{
	const char *key;
	json_t *value;

	if (!json_is_object(root))
		et_import_fail(&r->in, NULL, "is not an object with periods");
	read_head(r, root);
	read_trace(r, root, NULL, NULL);
	json_object_foreach(root, key, value)
	{
		struct et_import_place at = { NULL, key, 0 };
		if (json_is_object(value))
			read_trace(r, value, key, &at);
	}
	if (et_is_list(&r->in, json_object_get(root, "traces")))
		read_list(r, root);
	if (!r->traces->n)
		et_import_fail(&r->in, NULL, "it has no periods");
}

int et_traces_read(const char *data, size_t size, const char *name, struct et_traces *out,
	struct et_error *err)
{
	struct et_import_options options = { .name = name };
	struct et_traces traces = { 0 };
	struct reader r = { .in = { .options = &options, .err = err }, .traces = &traces };

	if (size > ET_TRACES_MOST_BYTES)
		return et_import_fail(
			&r.in, NULL, "larger than %zu MiB", ET_TRACES_MOST_BYTES >> 20);
	if (!et_outline_load(&r.in, data, size))
		read_root(&r, r.in.outline.root);
	et_outline_free(&r.in);
	if (r.in.failed) {
		et_traces_free(&traces);
		return r.in.failed;
	}
	*out = traces;
	return 0;
}

void et_traces_free(struct et_traces *t)
{
	for (size_t i = 0; i < t->n; i++)
		et_trace_free(&t->list[i]);
	free(t->list);
	*t = (struct et_traces){ 0 };
}
