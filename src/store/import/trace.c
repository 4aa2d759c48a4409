/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/trace.h"
#include "base/alloc.h"
#include "store/import/importer.h"

#include <math.h>
#include <string.h>

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

static int read_count(
	struct reader *r, const json_t *value, const struct et_import_place *at, uint64_t *out)
{
	double x = 0;
	int rc = et_to_number(&r->in, value, at, 0, MOST_TICKS, &x);

	if (rc == 0)
		*out = (uint64_t)x;
	return rc;
}

static int read_state(
	struct reader *r, const json_t *value, const struct et_import_place *at, bool *active)
{
	const char *text = json_string_value(value);

	if (!text || (strcmp(text, "A") && strcmp(text, "I")))
		return et_import_fail(&r->in, at, "is not \"A\" or \"I\"");
	*active = *text == 'A';
	return 0;
}

/* ["I", 0, 3726508, 275025] */
static int read_row(
	struct reader *r, const json_t *row, const struct et_import_place *at, struct period *p)
{
	struct et_import_place cell[4];

	if (json_array_size(row) != 4)
		return et_import_fail(&r->in, at, "is not [state, index, start, duration]");
	for (size_t i = 0; i < 4; i++)
		cell[i] = (struct et_import_place){ at, NULL, i };
	int rc = read_state(r, json_array_get(row, 0), &cell[0], &p->active);
	if (rc == 0)
		rc = read_count(r, json_array_get(row, 1), &cell[1], &p->index);
	if (rc == 0)
		rc = read_count(r, json_array_get(row, 2), &cell[2], &p->start);
	return rc ? rc : read_count(r, json_array_get(row, 3), &cell[3], &p->duration);
}

/* {"state": "I", "index": 0, "start_ns": 10, "duration_ns": 5, …} */
static int read_object(
	struct reader *r, const json_t *object, const struct et_import_place *at, struct period *p)
{
	const struct {
		const char *key;
		uint64_t *to;
	} counts[] = { { "index", &p->index }, { "start_ns", &p->start },
		{ "duration_ns", &p->duration } };
	struct et_import_place state = { at, "state", 0 };
	int rc = read_state(r, json_object_get(object, "state"), &state, &p->active);

	for (size_t i = 0; rc == 0 && i < ET_LENGTH(counts); i++) {
		struct et_import_place here = { at, counts[i].key, 0 };
		rc = read_count(r, json_object_get(object, counts[i].key), &here, counts[i].to);
	}
	p->from = object;
	return rc;
}

static int read_cause(struct reader *r, const struct period *p, const struct et_import_place *at,
	struct et_trace *t, struct et_inactive *to)
{
	struct et_import_place cause_at = { at, "cause", 0 };
	const char *cause = NULL, *name = NULL;

	int rc = et_read_text(&r->in, p->from, "cause", at, &cause);
	if (rc == 0)
		rc = et_read_text(&r->in, p->from, "process", at, &name);
	if (rc == 0 && !name)
		rc = et_read_text(&r->in, p->from, "interrupt", at, &name);
	if (rc || !cause)
		return rc;
	int which = et_name_index(et_cause_names, cause);
	if (which < 0)
		return et_import_fail(&r->in, &cause_at, "is not a cause");
	t->source = "file";
	to->cause = (uint8_t)which;
	to->tick = json_is_true(json_object_get(p->from, "tick"));
	if (name)
		to->taker = et_trace_taker(t, to->cause, name);
	return 0;
}

/* The span of the periods so far: the next one must begin at its end. */
struct cursor {
	uint64_t begin, end;
	bool any;
};

static int add_period(struct reader *r, const struct period *p, const struct et_import_place *at,
	struct cursor *c, struct et_trace *t)
{
	if (!c->any) {
		c->begin = c->end = p->start;
		t->first_index = p->index;
		t->origin = p->start;
		c->any = true;
	}
	if (p->start != c->end)
		return et_import_fail(&r->in, at, "begins at %llu, the one before it ends at %llu",
			(unsigned long long)p->start, (unsigned long long)c->end);
	c->end = p->start + p->duration;
	t->total = c->end - c->begin;
	if (p->active)
		return 0;
	struct et_inactive *to = et_trace_add(t, p->start - c->begin, p->duration);
	return p->from ? read_cause(r, p, at, t, to) : 0;
}

/* Sets *objects to whether the periods are objects, not arrays. */
static int read_periods(struct reader *r, struct et_list *l, struct et_trace *t, bool *objects)
{
	struct cursor c = { 0 };
	const json_t *element;
	int rc = 0;

	*objects = false;
	while (rc == 0 && (element = et_list_next(l))) {
		struct period p = { 0 };
		if (l->at == 0)
			*objects = json_is_object(element);
		if (json_is_array(element))
			rc = read_row(r, element, &l->here, &p);
		else if (json_is_object(element))
			rc = read_object(r, element, &l->here, &p);
		else
			rc = et_import_fail(&r->in, &l->here, "is not a period");
		if (rc == 0 && !!p.from != *objects)
			rc = et_import_fail(&r->in, &l->here, "has another form than the first");
		if (rc == 0)
			rc = add_period(r, &p, &l->here, &c, t);
	}
	rc = rc ? rc : l->rc;
	if (rc == 0 && t->total == 0)
		rc = et_import_fail(&r->in, &l->list, "covers no time");
	return rc;
}

/* --- the timer's ticks in the output of `etalon trace --json` --- */

static int read_tick(struct reader *r, const json_t *object, const struct et_import_place *at,
	struct et_trace *t, struct et_tick *out)
{
	struct et_import_place at_ns = { at, "at_ns", 0 };
	const char *charged = NULL, *process = NULL;

	int rc = read_count(r, json_object_get(object, "at_ns"), &at_ns, &out->at);
	if (rc == 0)
		rc = et_read_text(&r->in, object, "charged", at, &charged);
	if (rc == 0)
		rc = et_read_text(&r->in, object, "process", at, &process);
	if (rc)
		return rc;
	uint64_t last = t->n_ticks ? t->origin + t->ticks[t->n_ticks - 1].at : t->origin;
	if (out->at < last || out->at > t->origin + t->total)
		return et_import_fail(&r->in, &at_ns, "is not in order, or outside of the trace");
	out->at -= t->origin;
	out->estimated = json_is_true(json_object_get(object, "estimated"));
	if (charged && !strcmp(charged, "process"))
		out->charged =
			process ? et_trace_taker(t, ET_CAUSE_PROCESS, process) : ET_TICK_OTHER;
	else
		out->charged = charged && !strcmp(charged, "idle") ? ET_TICK_IDLE : ET_TICK_SELF;
	return 0;
}

/* Times are in nanoseconds here, as those of the periods. */
static int read_timer(struct reader *r, const json_t *object, const struct et_import_place *at,
	struct et_trace *t)
{
	struct et_import_place timer_at = { at, "timer", 0 };
	const json_t *timer = json_object_get(object, "timer"), *element;
	const char *found_by = NULL;

	if (!json_is_object(timer))
		return 0;
	ET_AUTO_LIST struct et_list l = et_list_of(&r->in, object, "ticks", at);
	if (!l.there)
		return l.rc;
	int rc = et_read_number(
		&r->in, timer, "interval_ns", &timer_at, 1e3, 1e12, &t->timer.interval);
	if (rc == 0)
		rc = et_read_number(
			&r->in, timer, "uncertainty_ns", &timer_at, 0, 1e12, &t->timer.uncertainty);
	if (rc == 0)
		rc = et_read_text(&r->in, timer, "found_by", &timer_at, &found_by);
	t->timer.by_records = found_by && !strcmp(found_by, "records");
	while (rc == 0 && (element = et_list_next(&l))) {
		struct et_tick tick = { 0 };
		rc = read_tick(r, element, &l.here, t, &tick);
		if (rc == 0)
			et_trace_add_tick(t, tick);
	}
	return rc ? rc : l.rc;
}

/* Converts periods from nanoseconds to ticks of a counter with the rate in the file. */
static int to_ticks(struct reader *r, const json_t *object, const struct et_import_place *at,
	struct et_trace *t)
{
	double hz = 0;
	int rc = et_read_number(&r->in, object, "hz", at, 1e3, 1e12, &hz);

	if (rc)
		return rc;
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
	return 0;
}

/*
 * Takes the rate in the file, with which ticks become nanoseconds when the trace is written. These
 * have the limit of ticks, and a better rate may be found than the one in the file.
 */
static int take_estimate(struct reader *r, const struct et_import_place *at, struct et_trace *t)
{
	t->hz_estimate = r->hz_estimate;
	if ((double)(t->origin + t->total) / t->hz_estimate * 1e9 > MOST_TICKS / 2)
		return et_import_fail(&r->in, at, "covers more than 26 days");
	return 0;
}

/* Reads an object that has periods; an object without them is not a trace and is ignored. */
static int read_trace(
	struct reader *r, const json_t *object, const char *name, const struct et_import_place *at)
{
	ET_AUTO_LIST struct et_list l = et_list_of(&r->in, object, "periods", at);
	struct et_import_place mhz_at = { NULL, "mhz_estimate", 0 };
	struct et_traces *all = r->traces;
	struct et_trace t;
	bool objects;

	if (!l.there)
		return l.rc;
	if (all->n == MOST_TRACES)
		return et_import_fail(&r->in, at, "is one trace too many (%d)", MOST_TRACES);
	et_trace_init(&t);
	t.name = name ? et_strdup(name) : NULL;
	t.timer.nominal_ns = r->nominal_ns;
	int rc = read_periods(r, &l, &t, &objects);
	/* The trace of a program has no readings. */
	t.spins = !objects || json_is_number(json_object_get(object, "readings"));
	if (rc == 0 && objects)
		rc = read_timer(r, object, at, &t);
	if (rc == 0 && objects)
		rc = to_ticks(r, object, at, &t);
	else if (rc == 0 && r->hz_estimate == 0)
		rc = et_import_fail(&r->in, &mhz_at, "is missing");
	else if (rc == 0)
		rc = take_estimate(r, &l.list, &t);
	if (rc) {
		et_trace_free(&t);
		return rc;
	}
	ET_GROW(all->list, all->n, all->cap);
	all->list[all->n++] = t;
	return 0;
}

static int read_head(struct reader *r, const json_t *root)
{
	double mhz = 0, ms = 0;
	int rc = 0;

	if (json_object_get(root, "mhz_estimate"))
		rc = et_read_number(&r->in, root, "mhz_estimate", NULL, 0.01, 1e6, &mhz);
	if (rc == 0 && json_object_get(root, "timer_interval_ms"))
		rc = et_read_number(&r->in, root, "timer_interval_ms", NULL, 0.5, 25, &ms);
	r->hz_estimate = mhz * 1e6;
	r->nominal_ns = (uint64_t)llround(ms * 1e6);
	return rc;
}

/* Reads the traces that `etalon trace --json` wrote. */
static int read_list(struct reader *r, const json_t *root)
{
	ET_AUTO_LIST struct et_list l = et_list_of(&r->in, root, "traces", NULL);
	const json_t *object;
	int rc = 0;

	while (rc == 0 && (object = et_list_next(&l))) {
		const json_t *name = json_object_get(object, "name");
		rc = read_trace(r, object,
			et_is_string(&r->in, name) ? json_string_value(name) : NULL, &l.here);
	}
	return rc ? rc : l.rc;
}

static int read_root(struct reader *r, json_t *root)
{
	const char *key;
	json_t *value;

	if (!json_is_object(root))
		return et_import_fail(&r->in, NULL, "is not an object with periods");
	int rc = read_head(r, root);
	if (rc == 0)
		rc = read_trace(r, root, NULL, NULL);
	json_object_foreach(root, key, value)
	{
		struct et_import_place at = { NULL, key, 0 };
		if (rc == 0 && json_is_object(value))
			rc = read_trace(r, value, key, &at);
	}
	if (rc == 0)
		rc = et_is_list(&r->in, json_object_get(root, "traces")) ? read_list(r, root) : 0;
	if (rc == 0 && !r->traces->n)
		rc = et_import_fail(&r->in, NULL, "it has no periods");
	return rc;
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
	int rc = et_outline_load(&r.in, data, size);
	if (!rc)
		rc = read_root(&r, r.in.outline.root);
	et_outline_free(&r.in);
	if (rc) {
		et_traces_free(&traces);
		return rc;
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
