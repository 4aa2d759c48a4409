/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/core/cutoffs.h"
#include "base/memstream.h"
#include "model/experiment/field_rows.h"
#include "store/core/machines.h"
#include "store/import/daemons.h"
#include "store/import/importer.h"

/* Earlier versions kept them by the name of the host, without a machine. */
static const char fact_key[] = "daemon-cutoffs";

static char *old_key(const char *host)
{
	return et_asprintf("%s %s", fact_key, host);
}

/* --- writing --- */

static void write_final(struct et_json *w, const char *key, const void *at)
{
	const struct et_cutoff *c = at;

	et_json_array(w, key);
	for (int i = 0; i < c->n_final; i++)
		et_json_double(w, NULL, c->final_ms[i]);
	et_json_end(w);
}

static const struct et_field cutoff_fields[] = {
	ET_KEYS(et_cutoff, daemon, short_ms, long_ms, period_s, task_time_s, sightings),
	ET_KEY_MADE("final_ms", write_final),
	{ 0 },
};

static const struct et_field all_fields[] = {
	ET_KEYS(et_cutoffs, learned_wall_ns, host, kernel, cpu, machine, services, tuned, factors),
	ET_KEYS(et_cutoffs, unseen, by_ledger, floor_ms, short_id, long_id, short_runs,
		short_seconds, long_runs, long_seconds),
	ET_KEY_LIST(et_cutoffs, "daemons", list, n, cutoff_fields),
	{ 0 },
};

int et_cutoffs_keep(struct et_store *s, const struct et_cutoffs *c, struct et_error *err)
{
	ET_AUTO_FREE char *old = old_key(c->host);
	struct et_memstream stream;
	struct et_json w;

	et_json_init(&w, et_memstream_open(&stream), 0);
	et_fields_object(&w, NULL, all_fields, c);
	ET_AUTO_FREE char *text = et_memstream_close(&stream);
	return et_store_set_fact(s, c->machine, *c->machine ? fact_key : old, text, err);
}

int et_cutoffs_forget(
	struct et_store *s, const char *machine, const char *host, struct et_error *err)
{
	ET_AUTO_FREE char *old = old_key(host);
	int rc = et_store_remove_fact(s, "", old, err);

	return rc || !*machine ? rc : et_store_remove_fact(s, machine, fact_key, err);
}

/* --- reading --- */

/* Sets *out to the number at that key, NaN if there is none. False if it is negative. */
static bool number(const json_t *object, const char *key, double *out)
{
	const json_t *value = json_object_get(object, key);

	*out = json_is_number(value) ? json_number_value(value) : NAN;
	return !(*out < 0);
}

static void text(const json_t *object, const char *key, char *out, size_t size)
{
	const char *value = json_string_value(json_object_get(object, key));

	snprintf(out, size, "%s", value ? value : "");
}

/* Whether the key has a whole number from 0 to hi; a missing one is 0. */
static bool whole(const json_t *object, const char *key, int64_t hi, int64_t *out)
{
	*out = json_integer_value(json_object_get(object, key));
	return *out >= 0 && *out <= hi;
}

/* Returns what is wrong with a cutoff, or NULL. */
static const char *read_cutoff(const json_t *row, struct et_cutoff *c)
{
	const json_t *final = json_object_get(row, "final_ms");
	int64_t sightings;

	if (!whole(row, "sightings", UINT32_MAX, &sightings))
		return "the sightings of a daemon are no count";
	c->sightings = (uint32_t)sightings;
	text(row, "daemon", c->daemon, sizeof(c->daemon));
	if (!number(row, "short_ms", &c->short_ms) || !number(row, "long_ms", &c->long_ms) ||
		!number(row, "period_s", &c->period_s) ||
		!number(row, "task_time_s", &c->task_time_s))
		return "a time is negative";
	for (size_t i = 0; i < json_array_size(final) && i < ET_LENGTH(c->final_ms); i++) {
		c->final_ms[i] = json_number_value(json_array_get(final, i));
		c->n_final++;
		if (!(c->final_ms[i] >= 0))
			return "a cutoff is negative";
	}
	return c->n_final > 0 ? NULL : "a daemon has no cutoff";
}

/* Returns what is wrong with the figures about the runs, or NULL. */
static const char *read_runs(const json_t *root, struct et_cutoffs *c)
{
	int64_t learned, short_runs, long_runs;

	if (!whole(root, "learned_wall_ns", INT64_MAX, &learned))
		return "their date is negative";
	if (!whole(root, "short_runs", UINT32_MAX, &short_runs) ||
		!whole(root, "long_runs", UINT32_MAX, &long_runs))
		return "the number of samples is no count";
	if (!short_runs)
		return "they were learned from no sample";
	if (!number(root, "floor_ms", &c->floor_ms) ||
		!number(root, "short_seconds", &c->short_seconds) ||
		!number(root, "long_seconds", &c->long_seconds))
		return "a time is negative";
	c->learned_wall_ns = (uint64_t)learned;
	c->short_runs = (uint32_t)short_runs;
	c->long_runs = (uint32_t)long_runs;
	return NULL;
}

/* Returns what is wrong, or NULL. */
static const char *read_all(struct et_importer *in, const json_t *root, struct et_cutoffs *c)
{
	ET_AUTO_LIST struct et_list l = et_list_of(in, root, "daemons", NULL);
	const json_t *row;

	if (!l.there || l.n > ET_DAEMONS_MOST_NAMES)
		return "they have no list of daemons";
	const char *wrong = read_runs(root, c);
	if (wrong)
		return wrong;
	text(root, "host", c->host, sizeof(c->host));
	text(root, "kernel", c->kernel, sizeof(c->kernel));
	text(root, "cpu", c->cpu, sizeof(c->cpu));
	text(root, "machine", c->machine, sizeof(c->machine));
	text(root, "services", c->services, sizeof(c->services));
	c->tuned = json_is_true(json_object_get(root, "tuned"));
	text(root, "factors", c->factors, sizeof(c->factors));
	c->unseen = json_is_true(json_object_get(root, "unseen"));
	c->by_ledger = json_is_true(json_object_get(root, "by_ledger"));
	text(root, "short_id", c->short_id, sizeof(c->short_id));
	text(root, "long_id", c->long_id, sizeof(c->long_id));
	c->list = et_calloc(l.n + 1, sizeof(*c->list));
	while ((row = et_list_next(&l))) {
		wrong = read_cutoff(row, &c->list[c->n++]);
		if (wrong)
			return wrong;
	}
	return in->failed ? "their list of daemons is damaged" : NULL;
}

static const char *parse(struct et_importer *in, const char *value, struct et_cutoffs *c)
{
	const char *wrong = et_outline_load(in, value, strlen(value))
				    ? "they are not JSON"
				    : read_all(in, in->outline.root, c);

	et_outline_free(in);
	return wrong;
}

/* The cutoffs of a machine that had a certain name. */
struct search {
	const char *host;
	char *value; /* or NULL */
};

static int take_if_of_host(void *ctx, const struct et_fact *fact)
{
	struct search *search = ctx;
	struct et_importer in = { .options = &(struct et_import_options){ .name = "facts" } };
	struct et_cutoffs c = { 0 };

	if (!parse(&in, fact->value, &c) && !strcmp(c.host, search->host))
		search->value = et_strdup(fact->value);
	et_cutoffs_free(&c);
	return search->value != NULL;
}

/* Records of other tools and of earlier versions have the name of the host only. */
static int find_by_host(struct et_store *s, const char *host, char **value, struct et_error *err)
{
	struct search search = { host, NULL };
	int rc = et_store_list_fact(s, fact_key, take_if_of_host, &search, err);

	*value = search.value;
	return rc;
}

int et_cutoffs_load(struct et_store *s, const char *machine, const char *host,
	struct et_cutoffs *out, bool *there, struct et_error *err)
{
	ET_AUTO_FREE char *old = old_key(host);
	ET_AUTO_FREE char *value = NULL;
	struct et_cutoffs c = { 0 };

	int rc = et_store_get_fact(s, machine, fact_key, &value, err);
	if (rc == 0 && !value)
		rc = et_store_get_fact(s, "", old, &value, err);
	if (rc == 0 && !value && !*machine)
		rc = find_by_host(s, host, &value, err);
	if (rc)
		return rc;
	*there = value != NULL;
	if (!value)
		return 0;
	const struct et_import_options options = { .name = et_store_url(s) };
	struct et_importer in = { .options = &options };
	const char *wrong = parse(&in, value, &c);
	if (wrong) {
		et_cutoffs_free(&c);
		return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE,
			"run 'etalon daemons learn' to make new ones, or 'etalon daemons forget'",
			"%s: the daemons' cutoffs in this store cannot be read: %s",
			et_store_url(s), wrong);
	}
	*out = c;
	return 0;
}
