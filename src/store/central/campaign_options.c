/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/central/campaign_options.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/memstream.h"
#include "model/experiment/field_rows.h"
#include "store/import/importer.h"

#include <errno.h>

/* For the store. */
static const struct et_field option_fields[] = {
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
	return write_fields(option_fields, o);
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
	bool valid = json_is_object(root) && !et_read_fields(&in, root, fields, out, NULL);

	json_decref(root);
	return valid;
}

int et_campaign_options_read(
	const char *text, struct et_campaign_options *out, struct et_error *err)
{
	struct et_campaign_options o = { 0 };

	if (read_fields(text, option_fields, &o) && o.time_limit_ns != ET_UNKNOWN) {
		*out = o;
		return 0;
	}
	et_campaign_options_free(&o);
	return et_hint(err,
		et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"the options of the campaign are not as etalon writes them"),
		"the store was damaged or changed by hand");
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
	et_fields_set_missing(option_fields, o); /* frees the texts */
	et_fields_set_missing(word_fields, o);
	*o = (struct et_campaign_options){ 0 };
}
