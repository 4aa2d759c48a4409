/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stores an experiment and cutoffs of daemons in which every text contains what a terminal obeys:
 * escape sequences, C1 control characters, overrides of direction, line feeds. The texts are found
 * by the tables of fields, so a new field needs no change here.
 */
#include "base/parse.h"
#include "fixture.h"
#include "model/experiment/field.h"
#include "model/sample/daemon.h"
#include "store/core/cutoffs.h"
#include "store/core/store.h"

#include <unistd.h>

/* The first 15 bytes contain most of it, because names of processes are no longer. */
static const char hostile[] =
	"\033]0;T\007\x9b"
	"2J\xc2\x9b\n\b"
	"FORGED\n"
	"FORGED\r\xe2\x80\xae\xe2\x81\xa6\x7f\033[2J'\"$(touch PWNED)`touch PWNED`";

static void set_fields(const struct et_field *fields, void *base)
{
	for (const struct et_field *f = fields; f->name; f++) {
		if (f->kind == ET_FIELD_STRING) {
			char **at = (char **)((char *)base + f->offset);
			free(*at);
			*at = et_strdup(hostile);
		} else if (f->kind == ET_FIELD_CHARS) {
			snprintf((char *)base + f->offset, f->size, "%s", hostile);
		}
	}
}

/* Replaces the samples by the same with other texts. */
static void set_samples(struct et_samples *all)
{
	struct et_samples old = *all;
	struct et_sample_reader r = et_samples_read(&old);
	const struct et_sample *from;

	memset(all, 0, sizeof(*all));
	while ((from = et_sample_reader_next(&r))) {
		struct et_sample s;

		et_sample_copy(&s, from);
		set_fields(et_sample_fields, &s);
		set_fields(et_removal_fields, &s.ruling.removal);
		for (size_t k = 0; k < s.measured.n_culprits; k++)
			set_fields(et_culprit_fields, &s.measured.culprits[k]);
		et_samples_add(all, &s);
		et_sample_free(&s);
	}
	et_sample_reader_end(&r);
	et_samples_free(&old);
}

static void set_command(struct et_command *c)
{
	char **texts[] = { &c->name, &c->text, &c->prepare, &c->conclude, &c->setup, &c->cleanup };

	for (size_t i = 0; i < ET_LENGTH(texts); i++) {
		free(*texts[i]);
		*texts[i] = et_strdup(hostile);
	}
	et_strv_free(c->argv);
	c->argv = et_calloc(3, sizeof(*c->argv));
	c->argv[0] = et_strdup(hostile);
	c->argv[1] = et_strdup(hostile);
	c->parameters = et_calloc(1, sizeof(*c->parameters));
	c->parameters[c->n_parameters++] =
		(struct et_parameter){ et_strdup(hostile), et_strdup(hostile) };
	set_samples(&c->samples);
}

static struct et_experiment *hostile_experiment(void)
{
	static const char *const names[] = { "a", "b" };
	struct et_experiment *e = fixture_experiment(names, 2);

	free(e->label);
	e->label = et_strdup(hostile);
	free(e->snapshot_source);
	e->snapshot_source = et_strdup(hostile);
	set_fields(et_plan_fields, &e->plan);
	set_fields(et_child_fields, &e->child);
	set_fields(et_host_fields, &e->host);
	e->environment = et_realloc(e->environment, e->n_environment + 1, sizeof(*e->environment));
	e->environment[e->n_environment++] = (struct et_factor){ 0 };
	for (size_t i = 0; i < e->n_environment; i++)
		set_fields(et_factor_fields, &e->environment[i]);
	for (size_t i = 0; i < e->n_commands; i++)
		set_command(&e->commands[i]);
	return e;
}

/* The host's name is its key and must be the true one. */
static int keep_cutoffs(struct et_store *store, struct et_error *err)
{
	struct et_cutoff one = { .short_ms = 1, .long_ms = 2, .final_ms = { 1 }, .n_final = 1 };
	struct et_cutoffs c = { .list = &one, .n = 1, .short_runs = 9, .short_seconds = 1 };

	snprintf(one.daemon, sizeof(one.daemon), "%.15s", hostile);
	snprintf(c.kernel, sizeof(c.kernel), "%.60s", hostile);
	snprintf(c.cpu, sizeof(c.cpu), "%.60s", hostile);
	if (gethostname(c.host, sizeof(c.host)))
		return -1;
	return et_cutoffs_keep(store, &c, err);
}

int main(int argc, char **argv)
{
	struct et_error err = { 0 };
	struct et_store *store;

	if (argc != 2 || et_store_open(argv[1], ET_STORE_WRITE, &store, &err)) {
		fprintf(stderr, "usage: keep-hostile STORE %s\n", err.what);
		return 2;
	}
	struct et_experiment *e = hostile_experiment();
	e->state = ET_STATE_INTERRUPTED;
	int rc = et_store_keep(store, e, &err);
	if (!rc)
		rc = keep_cutoffs(store, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.what);
	et_store_close(store);
	et_experiment_free(e);
	return rc ? 1 : 0;
}
