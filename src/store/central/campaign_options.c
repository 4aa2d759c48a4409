/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/central/campaign_options.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/memstream.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

/* The texts and truth values by their keys. */
static const struct {
	const char *key;
	size_t offset;
	bool local; /* it is not kept in a store, nor read from one */
} texts[] = {
	{ "partition", offsetof(struct et_campaign_options, partition), false },
	{ "constraint", offsetof(struct et_campaign_options, constraint), false },
	{ "nodes", offsetof(struct et_campaign_options, nodes), false },
	{ "account", offsetof(struct et_campaign_options, account), false },
	{ "extra", offsetof(struct et_campaign_options, extra), true },
	{ "etalon", offsetof(struct et_campaign_options, etalon), true },
	{ "env_only", offsetof(struct et_campaign_options, job.env_only), false },
	{ "env_except", offsetof(struct et_campaign_options, job.env_except), false },
}, flags[] = {
	{ "copy", offsetof(struct et_campaign_options, copy), false },
	{ "env", offsetof(struct et_campaign_options, job.env), false },
	{ "no_ledger", offsetof(struct et_campaign_options, job.no_ledger), false },
	{ "choose_metronome", offsetof(struct et_campaign_options, job.choose_metronome), false },
};

static char **text_at(struct et_campaign_options *o, size_t i)
{
	return (char **)((char *)o + texts[i].offset);
}

static bool *flag_at(struct et_campaign_options *o, size_t i)
{
	return (bool *)((char *)o + flags[i].offset);
}

static void write_texts(struct et_campaign_options *o, bool local, struct et_json *w)
{
	for (size_t i = 0; i < ET_LENGTH(texts); i++) {
		if (texts[i].local == local)
			et_json_string(w, texts[i].key, *text_at(o, i));
	}
}

static void write_all(struct et_campaign_options *o, bool local, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 0);
	et_json_object(&w, NULL);
	write_texts(o, local, &w);
	for (size_t i = 0; !local && i < ET_LENGTH(flags); i++)
		et_json_bool(&w, flags[i].key, *flag_at(o, i));
	if (!local)
		et_json_u64(&w, "time_limit_ns", o->time_limit_ns);
	et_json_end(&w);
}

static char *write_some(const struct et_campaign_options *given, bool local)
{
	struct et_campaign_options o = *given;
	struct et_memstream s;

	write_all(&o, local, et_memstream_open(&s));
	return et_memstream_close(&s);
}

char *et_campaign_options_write(const struct et_campaign_options *o)
{
	return write_some(o, false);
}

char *et_campaign_words_write(const struct et_campaign_options *o)
{
	return write_some(o, true);
}

static bool read_texts(const json_t *root, bool local, struct et_campaign_options *out)
{
	for (size_t i = 0; i < ET_LENGTH(texts); i++) {
		const json_t *j =
			texts[i].local == local ? json_object_get(root, texts[i].key) : NULL;
		if (j && !json_is_null(j) && !json_is_string(j))
			return false;
		if (json_is_string(j))
			*text_at(out, i) = et_strdup(json_string_value(j));
	}
	return true;
}

static bool read_all(const json_t *root, struct et_campaign_options *out)
{
	const json_t *limit = json_object_get(root, "time_limit_ns");

	if (!read_texts(root, false, out))
		return false;
	for (size_t i = 0; i < ET_LENGTH(flags); i++) {
		const json_t *j = json_object_get(root, flags[i].key);
		if (j && !json_is_boolean(j))
			return false;
		*flag_at(out, i) = json_is_true(j);
	}
	if (!json_is_integer(limit) || json_integer_value(limit) < 0)
		return false;
	out->time_limit_ns = (uint64_t)json_integer_value(limit);
	return true;
}

int et_campaign_options_read(
	const char *text, struct et_campaign_options *out, struct et_error *err)
{
	struct et_campaign_options o = { 0 };
	json_t *root = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
	bool valid = json_is_object(root) && read_all(root, &o);

	json_decref(root);
	if (valid) {
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
	json_t *root = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

	free(o->extra);
	free(o->etalon);
	o->extra = o->etalon = NULL;
	bool valid = json_is_object(root) && read_texts(root, true, o) && o->etalon;
	json_decref(root);
	return valid ? 0
		     : et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			       "the list of what was begun here is damaged");
}

void et_campaign_options_free(struct et_campaign_options *o)
{
	for (size_t i = 0; i < ET_LENGTH(texts); i++)
		free(*text_at(o, i));
	*o = (struct et_campaign_options){ 0 };
}
