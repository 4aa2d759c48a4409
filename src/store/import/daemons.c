/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/import/daemons.h"
#include "base/utf8.h"
#include "store/import/importer.h"

struct reader {
	struct et_importer in; /* for its errors */
	struct et_daemon_record *r;
};

/* --- values --- */

/* Reads a whole number from 1 to hi. */
static uint32_t read_count(struct reader *d, const json_t *object, const char *key,
	const struct et_import_place *at, double hi)
{
	double x = et_read_number(&d->in, object, key, at, 1, hi);

	if (x != floor(x))
		et_import_fail(
			&d->in, &(struct et_import_place){ at, key, 0 }, "is not a whole number");
	return (uint32_t)x;
}

static const double MOST_MS = 1e12, MOST_SECONDS = 1e9;

/* Process names are printed to terminals and pasted into scripts, so refuse what acts there. */
static void check_name(struct reader *d, const char *s, const struct et_import_place *at)
{
	if (!*s)
		et_import_fail(&d->in, at, "is empty");
	if (strlen(s) >= ET_DAEMON_NAME)
		et_import_fail(&d->in, at, "is longer than %d bytes", ET_DAEMON_NAME - 1);
	while (*s && !d->in.failed) {
		size_t n = et_utf8_length(s);
		uint32_t c = n ? et_utf8_decode(s, n) : 0;
		if (c < ' ' || (c >= 0x7f && c < 0xa0))
			et_import_fail(&d->in, at, "holds a control character");
		if (c == '"' || c == '\'')
			et_import_fail(&d->in, at, "holds a quotation mark");
		s += n;
	}
}

static uint32_t read_name(struct reader *d, const json_t *value, const struct et_import_place *at)
{
	if (et_is_string(&d->in, value))
		check_name(d, json_string_value(value), at);
	else
		et_import_fail(&d->in, at, value ? "is not a string" : "is missing");
	if (d->in.failed)
		return 0;
	uint32_t name = et_daemon_record_name(d->r, json_string_value(value));
	if (d->r->n_names > ET_DAEMONS_MOST_NAMES)
		et_import_fail(&d->in, at, "more than %d daemons", ET_DAEMONS_MOST_NAMES);
	return name;
}

/* --- the central cluster, as the record has it --- */

static void read_central(struct reader *d, struct et_list *l, struct et_daemon_run *run)
{
	ET_AUTO_FREE bool *there = et_calloc(ET_DAEMONS_MOST_NAMES + 1, sizeof(*there));
	const json_t *row;

	if (l->n > ET_DAEMONS_MOST_NAMES)
		et_import_fail(&d->in, &l->list, "more than %d daemons", ET_DAEMONS_MOST_NAMES);
	if (d->in.failed)
		return;
	run->central = et_calloc(l->n + 1, sizeof(*run->central));
	while ((row = et_list_next(l))) {
		struct et_import_place name = { &l->here, "daemon", 0 };
		struct et_central *c = &run->central[l->at];

		c->name = read_name(d, json_object_get(row, "daemon"), &name);
		c->max_ms = et_read_number(&d->in, row, "max_ms", &l->here, 0, MOST_MS);
		c->sd_ms = et_read_number(&d->in, row, "sd_ms", &l->here, 0, MOST_MS);
		if (there[c->name])
			et_import_fail(&d->in, &name, "occurs twice");
		there[c->name] = true;
		run->n_central = l->at + 1;
	}
}

/* --- samples --- */

/* [["name", ms], …] */
static void read_executions(struct reader *d, const json_t *row, const char *key,
	const struct et_import_place *at, struct et_daemon_run *run)
{
	ET_AUTO_LIST struct et_list l = et_list_of(&d->in, row, key, at);
	const json_t *pair;

	if (!l.there)
		et_import_fail(&d->in, &l.list, "is missing");
	while ((pair = et_list_next(&l))) {
		struct et_import_place first = { &l.here, NULL, 0 }, second = { &l.here, NULL, 1 };

		if (!json_is_array(pair) || json_array_size(pair) != 2)
			et_import_fail(&d->in, &l.here, "is not a pair of name and time");
		uint32_t name = read_name(d, json_array_get(pair, 0), &first);
		double ms = et_to_number(&d->in, json_array_get(pair, 1), &second, 0, MOST_MS);
		if (!d->in.failed)
			et_daemon_run_execution(run, name, ms);
	}
}

/* Gives a time on the program's CPU to the first execution of that name that has none. */
static void set_ours(
	struct et_daemon_run *run, const struct et_daemon_sample *w, uint32_t name, double ms)
{
	for (size_t k = w->first; k < run->n_executions; k++) {
		struct et_execution *x = &run->executions[k];
		if (x->name == name && x->ours_ms == 0) {
			x->ours_ms = ms;
			return;
		}
	}
	et_daemon_run_execution(run, name, ms)->ours_ms = ms;
}

/* [["name", ms], …]: what is not listed did not have the program's CPU. */
static void read_ours(struct reader *d, const json_t *row, const struct et_import_place *at,
	struct et_daemon_run *run)
{
	static const char key[] = "on_our_cpu";
	const json_t *list = json_object_get(row, key);
	struct et_daemon_run ours = { 0 };

	if (!list || json_is_null(list))
		return;
	et_daemon_run_add(&ours, 1, 0);
	read_executions(d, row, key, at, &ours);
	const struct et_daemon_sample w = run->listed[run->n_listed - 1];
	for (size_t k = w.first; k < run->n_executions; k++)
		run->executions[k].ours_ms = 0;
	for (size_t k = 0; k < ours.n_executions; k++) {
		if (ours.executions[k].ms > 0)
			set_ours(run, &w, ours.executions[k].name, ours.executions[k].ms);
	}
	free(ours.listed);
	free(ours.executions);
}

static void read_sample(struct reader *d, const json_t *row, const struct et_import_place *at,
	struct et_daemon_run *run)
{
	struct et_import_place number = { at, "sample", 0 };
	uint32_t last = run->n_listed ? run->listed[run->n_listed - 1].number : 0;
	uint32_t n = read_count(d, row, "sample", at, ET_DAEMONS_MOST_SAMPLES);

	if (n == last)
		et_import_fail(&d->in, &number, "sample %u occurs twice", n);
	if (n < last)
		et_import_fail(
			&d->in, &number, "sample %u after %u: not in ascending order", n, last);
	if (n > run->samples)
		et_import_fail(
			&d->in, &number, "sample %u, but the run has only %u", n, run->samples);
	if (d->in.failed)
		return;
	struct et_daemon_sample *w = et_daemon_run_add(run, n, (n - 1) * run->sample_seconds);
	if (run->whole) {
		w->elapsed_ms = et_read_number(&d->in, row, "et_ms", at, 0, MOST_MS);
		w->cpu_ms = et_read_number(&d->in, row, "pt_ms", at, 0, MOST_MS);
	}
	read_executions(d, row, "pt", at, run);
	if (run->whole)
		read_ours(d, row, at, run);
}

static void read_samples(struct reader *d, struct et_list *l, struct et_daemon_run *run)
{
	const json_t *row;

	while ((row = et_list_next(l)))
		read_sample(d, row, &l->here, run);
	if (run->whole && run->n_listed != run->samples)
		et_import_fail(&d->in, &l->list, "%zu samples, but \"samples\" is %u",
			run->n_listed, run->samples);
}

/* --- runs --- */

static void read_run(struct reader *d, const json_t *object, const struct et_import_place *at,
	struct et_daemon_run *run)
{
	run->samples = read_count(d, object, "samples", at, ET_DAEMONS_MOST_SAMPLES);
	run->sample_seconds =
		et_read_number(&d->in, object, "sample_seconds", at, 1e-6, MOST_SECONDS);
	ET_AUTO_LIST struct et_list all = et_objects_of(&d->in, object, "all", at);
	ET_AUTO_LIST struct et_list central = et_objects_of(&d->in, object, "central", at);
	ET_AUTO_LIST struct et_list samples = et_objects_of(&d->in, object, "l_samples", at);
	run->whole = all.there;
	if (run->whole) {
		read_samples(d, &all, run);
		return;
	}
	if (!central.there && !samples.there)
		et_import_fail(&d->in, at, "has neither all nor central and l_samples");
	if (!central.there || !samples.there)
		et_import_fail(&d->in, central.there ? &samples.list : &central.list, "is missing");
	read_central(d, &central, run);
	read_samples(d, &samples, run);
}

static void read_root(struct reader *d, const json_t *root)
{
	struct et_import_place short_at = { NULL, "short_run", 0 },
			       long_at = { NULL, "long_run", 0 };

	if (!json_is_object(root))
		et_import_fail(&d->in, NULL, "is not an object with a short_run");
	const json_t *short_run = et_read_branch(&d->in, root, "short_run", JSON_OBJECT, NULL);
	const json_t *long_run = et_read_branch(&d->in, root, "long_run", JSON_OBJECT, NULL);
	if (!short_run)
		et_import_fail(&d->in, &short_at, "is missing");
	if (d->in.failed)
		return;
	read_run(d, short_run, &short_at, &d->r->short_run);
	d->r->has_long = long_run != NULL;
	if (long_run)
		read_run(d, long_run, &long_at, &d->r->long_run);
}

int et_daemon_record_read(const char *data, size_t size, const char *name,
	struct et_daemon_record *out, struct et_error *err)
{
	struct et_import_options options = { .name = name };
	struct et_daemon_record record = { 0 };
	struct reader d = { .in = { .options = &options, .err = err }, .r = &record };

	if (size > ET_DAEMONS_MOST_BYTES)
		return et_import_fail(
			&d.in, NULL, "larger than %zu MiB", ET_DAEMONS_MOST_BYTES >> 20);
	if (!et_outline_load(&d.in, data, size))
		read_root(&d, d.in.outline.root);
	et_outline_free(&d.in);
	if (d.in.failed) {
		et_daemon_record_free(&record);
		return d.in.failed;
	}
	et_daemon_record_settle(&record);
	*out = record;
	return 0;
}

bool et_daemon_record_is_native(const char *data, size_t size)
{
	struct et_import_options options = { .name = "" };
	struct et_importer in = { .options = &options };
	bool native = size <= ET_DAEMONS_MOST_BYTES && et_outline_load(&in, data, size) == 0 &&
		      json_object_get(in.outline.root, "etalon") &&
		      !json_object_get(in.outline.root, "short_run");

	et_outline_free(&in);
	return native;
}
