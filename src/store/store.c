/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Picks the back end by the URL and hands every call on to it. */
#include "base/alloc.h"
#include "store/backend.h"

#include <errno.h>
#include <string.h>

static int no_postgresql(
	const char *path, enum et_store_mode mode, struct et_store **out, struct et_error *err)
{
	(void)path;
	(void)mode;
	(void)out;
	return et_hint(err,
		et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "this build has no PostgreSQL store"),
		"use a file: --store sqlite:PATH");
}

static const struct {
	const char *scheme;
	int (*open)(const char *rest, enum et_store_mode mode, struct et_store **out,
		struct et_error *err);
} schemes[] = {
	{ "sqlite:", et_sqlite_open },
	{ "postgresql://", no_postgresql },
	{ "postgres://", no_postgresql },
};

/* "word:…" before any slash is a scheme, so that a mistyped one does not make a file. */
static bool has_scheme(const char *url)
{
	size_t len = strcspn(url, ":/");

	return len > 0 && url[len] == ':';
}

static int open_backend(
	const char *url, enum et_store_mode mode, struct et_store **out, struct et_error *err)
{
	for (size_t i = 0; i < ET_LENGTH(schemes); i++) {
		size_t len = strlen(schemes[i].scheme);
		if (!strncmp(url, schemes[i].scheme, len))
			return schemes[i].open(url + len, mode, out, err);
	}
	if (has_scheme(url))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s': no kind of store has that name",
				url),
			"sqlite:PATH or postgresql://…; a file of that name is ./%s", url);
	return et_sqlite_open(url, mode, out, err);
}

int et_store_open(
	const char *url, enum et_store_mode mode, struct et_store **out, struct et_error *err)
{
	struct et_store *s = NULL;
	int rc = open_backend(url, mode, &s, err);

	if (rc)
		return rc;
	s->url = et_strdup(url);
	*out = s;
	return 0;
}

void et_store_close(struct et_store *s)
{
	if (!s)
		return;
	char *url = s->url;
	s->ops->close(s);
	free(url);
}

const char *et_store_url(const struct et_store *s)
{
	return s->url;
}

int et_store_begin(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	return s->ops->begin(s, e, err);
}

int et_store_keep(struct et_store *s, const struct et_experiment *e, struct et_error *err)
{
	return s->ops->keep(s, e, err);
}

int et_store_add(
	struct et_store *s, const char *id, const struct et_sample *sample, struct et_error *err)
{
	return s->ops->add(s, id, sample, err);
}

int et_store_flush(struct et_store *s, struct et_error *err)
{
	return s->ops->flush(s, err);
}

int et_store_set_state(struct et_store *s, const char *id, enum et_state state, uint64_t wall_ns,
	struct et_error *err)
{
	return s->ops->set_state(s, id, state, wall_ns, err);
}

int et_store_set_removal(
	struct et_store *s, const char *id, const struct et_sample *sample, struct et_error *err)
{
	return s->ops->set_removal(s, id, sample, err);
}

int et_store_claim(struct et_store *s, const char *id, struct et_error *err)
{
	return s->ops->claim(s, id, err);
}

void et_store_release(struct et_store *s)
{
	s->ops->release(s);
}

int et_store_find(struct et_store *s, const char *name, char id[40], struct et_error *err)
{
	return s->ops->find(s, name, id, err);
}

int et_store_find_unfinished(struct et_store *s, char id[40], struct et_error *err)
{
	return s->ops->find_unfinished(s, id, err);
}

int et_store_load(
	struct et_store *s, const char *id, struct et_experiment **out, struct et_error *err)
{
	return s->ops->load(s, id, out, err);
}

int et_store_remove(struct et_store *s, const char *id, struct et_error *err)
{
	return s->ops->remove(s, id, err);
}

int et_store_list(
	struct et_store *s, size_t limit, et_store_entry_fn fn, void *ctx, struct et_error *err)
{
	return s->ops->list(s, limit, fn, ctx, err);
}

int et_store_get_fact(struct et_store *s, const char *key, char **value, struct et_error *err)
{
	return s->ops->get_fact(s, key, value, err);
}

int et_store_set_fact(struct et_store *s, const char *key, const char *value, struct et_error *err)
{
	return s->ops->set_fact(s, key, value, err);
}
