/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "campaign/probe.h"
#include "model/experiment/field.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* A node may answer anything; more than this is not shown to anybody. */
enum { MOST_FACTORS = 200, LONGEST_TEXT = 300 };

/* Returns a copy of a text, cut at a character of UTF-8; "" if there is none. */
static char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	size_t n = text ? strlen(text) : 0;

	if (n > LONGEST_TEXT)
		for (n = LONGEST_TEXT; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
			;
	return et_strndup(text ? text : "", n);
}

static void read_host(const json_t *object, struct et_host *host)
{
	et_fields_set_missing(et_host_fields, host);
	for (const struct et_field *f = et_host_fields; f->name; f++) {
		const json_t *v = json_object_get(object, f->name);
		/* A value that the table refuses stays missing. */
		bool taken = json_is_string(v)    ? et_field_set_text(f, host, json_string_value(v))
			     : json_is_integer(v) ? et_field_set_int(f, host, json_integer_value(v))
						  : true;
		(void)taken;
	}
}

static void read_factors(const json_t *list, struct et_node_probe *p)
{
	size_t i;
	json_t *v;

	p->factors = et_calloc(MOST_FACTORS, sizeof(*p->factors));
	json_array_foreach(list, i, v)
	{
		if (!json_is_object(v) || p->n_factors == MOST_FACTORS)
			continue;
		p->factors[p->n_factors++] = (struct et_factor){ .factor = text_of(v, "factor"),
			.state = text_of(v, "state"),
			.wanted = text_of(v, "wanted"),
			.ok = json_is_true(json_object_get(v, "ok")) };
	}
}

static void read_store(const json_t *store, struct et_node_probe *p)
{
	const json_t *offset = json_object_get(store, "clock_offset_ns");
	const json_t *doubt = json_object_get(store, "clock_doubt_ns");

	p->asked_store = json_is_object(store);
	p->reached_store = json_is_true(json_object_get(store, "reachable"));
	if (json_is_string(json_object_get(store, "error")))
		p->store_error = text_of(store, "error");
	/* Half of the range, so that differences of two do not overflow. */
	p->has_store_clock = json_is_integer(offset) && json_is_integer(doubt) &&
			     json_integer_value(offset) > INT64_MIN / 4 &&
			     json_integer_value(offset) < INT64_MAX / 4 &&
			     json_integer_value(doubt) >= 0 &&
			     json_integer_value(doubt) < INT64_MAX / 4;
	if (p->has_store_clock) {
		p->store_offset_ns = json_integer_value(offset);
		p->store_doubt_ns = (uint64_t)json_integer_value(doubt);
	}
}

static const char *why_refused(const json_t *root)
{
	const json_t *wall = json_object_get(root, "wall_ns");

	if (json_integer_value(json_object_get(root, "etalon_probe")) != 1)
		return "etalon_probe is not 1";
	if (!json_is_string(json_object_get(root, "version")) ||
		!json_is_string(json_object_get(root, "machine")) ||
		!json_is_integer(json_object_get(root, "schema")))
		return "version, machine or schema is missing";
	if (!json_string_length(json_object_get(root, "machine")))
		return "the identity of the machine is empty";
	if (!json_is_integer(wall) || json_integer_value(wall) < 0 ||
		json_integer_value(wall) > INT64_MAX / 2)
		return "wall_ns is no time";
	return NULL;
}

int et_probe_read(const char *text, size_t n, struct et_node_probe *p, struct et_error *err)
{
	json_error_t at;
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &at);
	const char *why = !root ? at.text : json_is_object(root) ? why_refused(root) : "no object";

	if (why) {
		int rc = et_fail(
			err, EPROTO, ET_EXIT_OUTSIDE, "the answer is no probe of etalon: %s", why);
		json_decref(root);
		return rc;
	}
	p->machine = text_of(root, "machine");
	p->version = text_of(root, "version");
	p->schema = json_integer_value(json_object_get(root, "schema"));
	p->wall_ns = (uint64_t)json_integer_value(json_object_get(root, "wall_ns"));
	read_host(json_object_get(root, "host"), &p->host);
	read_factors(json_object_get(root, "environment"), p);
	read_store(json_object_get(root, "store"), p);
	json_decref(root);
	return 0;
}

void et_probe_free(struct et_node_probe *p)
{
	for (size_t i = 0; i < p->n_factors; i++) {
		free(p->factors[i].factor);
		free(p->factors[i].state);
		free(p->factors[i].wanted);
	}
	free(p->factors);
	free(p->node);
	free(p->machine);
	free(p->version);
	free(p->store_error);
}
