/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/central/job.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memstream.h"
#include "model/experiment/field_rows.h"
#include "store/import/import.h"
#include "store/import/importer.h"

#include <jansson.h>

enum { JOB_VERSION = 1 };

static const struct et_field option_fields[] = {
	ET_KEYS(et_job_options, env, env_only, env_except, no_ledger, choose_metronome),
	{ 0 },
};

void et_job_write(const struct et_campaign *c, const struct et_job_options *o, const char *store,
	uint32_t generation, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 0);
	et_json_object(&w, NULL);
	et_json_int(&w, "etalon_job", JOB_VERSION);
	et_json_string(&w, "campaign", c->id);
	et_json_string(&w, "store", store);
	et_json_string(&w, "kind", et_campaign_kind_names[c->kind]);
	et_json_u64(&w, "generation", generation);
	et_fields_write(&w, option_fields, o);
	et_json_array(&w, "parts");
	for (size_t i = 0; i < c->n_parts; i++) {
		et_json_flat_array(&w, NULL);
		et_json_u64(&w, NULL, c->parts[i].number);
		et_json_u64(&w, NULL, c->parts[i].first_round);
		et_json_u64(&w, NULL, c->parts[i].rounds);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_string(&w, "record", c->record);
	et_json_end(&w);
}

/* --- reading --- */

static int refuse(struct et_error *err, const char *what)
{
	return et_refuse(err, "etalon writes jobs itself: use 'etalon doe run PLAN --engine …'",
		"the job on standard input: %s", what);
}

int et_campaign_read_record(const char *record, struct et_experiment **out, struct et_error *err)
{
	struct et_import_options o = { .name = "the record of the campaign",
		.format = ET_IMPORT_NATIVE,
		.copy = true,
		.wall_ns = et_clock_read_ns(CLOCK_REALTIME) };
	struct et_experiment *e;
	int rc = et_import(record, strlen(record), &o, &e, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < e->n_commands; i++) {
		if (e->commands[i].samples.n)
			rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: it has samples", o.name);
	}
	if (rc)
		et_experiment_free(e);
	else
		*out = e;
	return rc;
}

static bool is_count(const json_t *j, uint64_t most)
{
	return json_is_integer(j) && json_integer_value(j) >= 0 &&
	       (uint64_t)json_integer_value(j) <= most;
}

static bool read_part(const json_t *j, struct et_part *out)
{
	const json_t *number = json_array_get(j, 0), *first = json_array_get(j, 1),
		     *rounds = json_array_get(j, 2);

	if (json_array_size(j) != 3 || !is_count(number, UINT32_MAX) ||
		!is_count(first, ET_MOST_RUNS) || !is_count(rounds, ET_MOST_RUNS))
		return false;
	*out = (struct et_part){ .number = (uint32_t)json_integer_value(number),
		.first_round = (uint32_t)json_integer_value(first),
		.rounds = (uint32_t)json_integer_value(rounds) };
	return true;
}

static int read_parts(const json_t *list, struct et_task_job *out, struct et_error *err)
{
	size_t n = json_array_size(list);

	if (!n)
		return refuse(err, "it has no parts");
	out->parts = et_calloc(n, sizeof(*out->parts));
	for (; out->n_parts < n; out->n_parts++) {
		if (!read_part(json_array_get(list, out->n_parts), &out->parts[out->n_parts]))
			return refuse(err, "a part is not a list of three numbers");
	}
	return 0;
}

static char *copy_text(const json_t *j)
{
	return json_is_string(j) ? et_strdup(json_string_value(j)) : NULL;
}

static bool is_text_or_null(const json_t *j)
{
	return json_is_string(j) || json_is_null(j);
}

static int read_root(json_t *root, struct et_task_job *out, struct et_error *err)
{
	int version, generation, env, no_ledger, metronome;
	const char *campaign, *store, *kind, *record;
	json_t *only, *except, *parts;
	json_error_t why;

	if (json_unpack_ex(root, &why, JSON_STRICT,
		    "{s:i, s:s, s:s, s:s, s:i, s:b, s:o, s:o, s:b, s:b, s:o, s:s}", "etalon_job",
		    &version, "campaign", &campaign, "store", &store, "kind", &kind, "generation",
		    &generation, "env", &env, "env_only", &only, "env_except", &except, "no_ledger",
		    &no_ledger, "choose_metronome", &metronome, "parts", &parts, "record", &record))
		return refuse(err, why.text);
	int kind_number = et_name_index(et_campaign_kind_names, kind);
	if (version != JOB_VERSION)
		return refuse(err, "another version of etalon has written it");
	if (!et_experiment_is_id(campaign))
		return refuse(err, "the campaign has no valid id");
	if (kind_number < 0 || generation < 1 || generation > 1000000 || !*store)
		return refuse(err, "its kind, generation or store is not valid");
	if (!is_text_or_null(only) || !is_text_or_null(except) || !json_is_array(parts))
		return refuse(err, "env_only, env_except or parts are not valid");
	memcpy(out->campaign, campaign, strlen(campaign) + 1);
	out->store = et_strdup(store);
	out->kind = (enum et_campaign_kind)kind_number;
	out->generation = (uint32_t)generation;
	out->options = (struct et_job_options){ .env = env,
		.env_only = copy_text(only),
		.env_except = copy_text(except),
		.no_ledger = no_ledger,
		.choose_metronome = metronome };
	int rc = read_parts(parts, out, err);
	return rc ? rc : et_campaign_read_record(record, &out->e, err);
}

int et_job_read(const char *data, size_t size, struct et_task_job *out, struct et_error *err)
{
	struct et_task_job job = { 0 };
	json_error_t why;

	if (size > ET_JOB_MOST_BYTES)
		return refuse(err, "it is longer than 4 MB");
	json_t *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &why);
	if (!root)
		return refuse(err, size ? why.text : "it is empty");
	int rc = json_is_object(root) ? read_root(root, &job, err)
				      : refuse(err, "it is not an object");
	json_decref(root);
	if (rc)
		et_job_free(&job);
	else
		*out = job;
	return rc;
}

void et_job_free(struct et_task_job *j)
{
	free(j->store);
	free(j->options.env_only);
	free(j->options.env_except);
	free(j->parts);
	et_experiment_free(j->e);
	*j = (struct et_task_job){ 0 };
}

const struct et_part *et_job_part(const struct et_task_job *j, uint32_t number)
{
	for (size_t i = 0; i < j->n_parts; i++) {
		if (j->parts[i].number == number)
			return &j->parts[i];
	}
	return NULL;
}

/* --- the options of a campaign --- */

/* For the store. */
static const struct et_field campaign_fields[] = {
	ET_KEYS(et_campaign_options, partition, constraint, nodes, account),
	ET_KEY(et_campaign_options, "env_only", job.env_only),
	ET_KEY(et_campaign_options, "env_except", job.env_except),
	ET_KEY(et_campaign_options, "copy", copy, .hi = 1),
	ET_KEY(et_campaign_options, "env", job.env, .hi = 1),
	ET_KEY(et_campaign_options, "no_ledger", job.no_ledger, .hi = 1),
	ET_KEY(et_campaign_options, "choose_metronome", job.choose_metronome, .hi = 1),
	ET_KEY(et_campaign_options, "time_limit_ns", time_limit_ns, .missing = -1, .hi = INT64_MAX),
	{ 0 },
};

/* Neither kept in a store nor read from one. */
static const struct et_field word_fields[] = {
	ET_KEYS(et_campaign_options, extra, etalon),
	{ 0 },
};

static char *write_fields(const struct et_field *fields, const struct et_campaign_options *o)
{
	struct et_memstream s;
	struct et_json w;

	et_json_init(&w, et_memstream_open(&s), 0);
	et_fields_object(&w, NULL, fields, o);
	return et_memstream_close(&s);
}

char *et_campaign_options_write(const struct et_campaign_options *o)
{
	return write_fields(campaign_fields, o);
}

char *et_campaign_words_write(const struct et_campaign_options *o)
{
	return write_fields(word_fields, o);
}

static bool read_fields(
	const char *text, const struct et_field *fields, struct et_campaign_options *out)
{
	struct et_importer in = { .options = &(struct et_import_options){ .name = "" } };
	json_t *root = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
	bool valid = json_is_object(root);

	if (valid)
		et_read_fields(&in, root, fields, out, NULL);
	json_decref(root);
	return valid && !in.failed;
}

int et_campaign_options_read(
	const char *text, struct et_campaign_options *out, struct et_error *err)
{
	struct et_campaign_options o = { 0 };

	if (read_fields(text, campaign_fields, &o) && o.time_limit_ns != ET_UNKNOWN) {
		*out = o;
		return 0;
	}
	et_campaign_options_free(&o);
	return et_fail_hint(err, EBADMSG, ET_EXIT_OUTSIDE,
		"the store was damaged or changed by hand",
		"the options of the campaign are not as etalon writes them");
}

int et_campaign_words_read(const char *text, struct et_campaign_options *o, struct et_error *err)
{
	et_fields_set_missing(word_fields, o);
	return read_fields(text, word_fields, o) && o->etalon
		       ? 0
		       : et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
				 "the list of what was begun here is damaged");
}

void et_campaign_options_free(struct et_campaign_options *o)
{
	et_fields_set_missing(campaign_fields, o); /* frees the texts */
	et_fields_set_missing(word_fields, o);
	*o = (struct et_campaign_options){ 0 };
}
