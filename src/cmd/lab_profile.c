/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies of profilers: finding them in the store, loading, printing, and the experiments' rows. */
#include "cmd/lab_profile.h"
#include "base/alloc.h"
#include "cmd/outputs.h"
#include "cmd/stored.h"
#include "report/terminal.h"

#include <errno.h>
#include <string.h>

/* --- finding a study --- */

/* Experiments of the store, newest first. */
struct listing {
	struct {
		char id[40];
		char *label;
	} * list;
	size_t n, cap;
};

static int note_label(void *ctx, const struct et_summary *s)
{
	struct listing *l = ctx;

	if (!s->label)
		return 0;
	ET_GROW(l->list, l->n, l->cap);
	memcpy(l->list[l->n].id, s->id, sizeof(s->id));
	l->list[l->n++].label = et_strdup(s->label);
	return 0;
}

static void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].label);
	free(l->list);
}

static struct et_lab_part *part_named(struct et_profiling *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->parts[i].name, name))
			return &p->parts[i];
	}
	return NULL;
}

/* Returns the length of the prefix of a label of a part; 0: it is no such label. */
static size_t prefix_of(struct et_profiling *p, const char *label)
{
	const char *slash = strrchr(label, '/');

	/* "LABEL/20261116-112233/PART" */
	if (!slash || !part_named(p, slash + 1) || slash - label < 17 || slash[-16] != '/' ||
		slash[-7] != '-')
		return 0;
	return (size_t)(slash - label);
}

static bool is_named(const char *label, size_t prefix, const char *name)
{
	size_t n = strlen(name);

	return (n == prefix || n + 16 == prefix) && !strncmp(label, name, n);
}

static char *find_prefix(
	struct et_profiling *p, const struct listing *l, const char *name, const char *id)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *label = l->list[i].label;
		size_t n = prefix_of(p, label);
		if (n && (id ? !strcmp(l->list[i].id, id) : is_named(label, n, name)))
			return et_strndup(label, n);
	}
	return NULL;
}

static void note_ids(struct et_profiling *p, const struct listing *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *label = l->list[i].label;
		size_t n = prefix_of(p, label);
		if (n != strlen(p->prefix) || strncmp(label, p->prefix, n))
			continue;
		struct et_lab_part *part = part_named(p, label + n + 1);
		if (!part->id[0])
			memcpy(part->id, l->list[i].id, sizeof(part->id));
	}
}

int et_profiling_find(struct et_profiling *p, const char *name, struct et_error *err)
{
	struct listing all = { 0 };
	struct et_store *store;
	char id[40];
	int rc = et_stored_open(p->r->cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
	rc = et_store_list(store, 0, note_label, &all, err);
	char *prefix = rc ? NULL : find_prefix(p, &all, name, NULL);
	if (rc == 0 && !prefix) {
		rc = et_store_find(store, name, id, err);
		prefix = rc ? NULL : find_prefix(p, &all, name, id);
	}
	if (rc == 0 && !prefix)
		rc = et_fail(err, ENOENT, ET_EXIT_USAGE, "'%s' is no experiment of lab %s", name,
			p->lab->name);
	if (prefix) {
		free(p->prefix);
		p->prefix = prefix;
		note_ids(p, &all);
	}
	listing_free(&all);
	et_store_close(store);
	return rc;
}

int et_profiling_load(struct et_profiling *p, struct et_error *err)
{
	struct et_store *store;
	int rc = et_stored_open(p->r->cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < p->n; i++) {
		struct et_lab_part *part = &p->parts[i];
		if (part->id[0])
			rc = et_store_load(store, part->id, &part->e, err);
		if (rc == 0 && part->e && !part->e->profile)
			rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "%s has no profile", part->id);
	}
	et_store_close(store);
	return rc;
}

static void profiling_free(struct et_profiling *p)
{
	for (size_t i = 0; i < p->n; i++)
		et_experiment_free(p->parts[i].e);
	for (size_t i = 0; i < p->n_missing; i++)
		free(p->missing[i]);
	free(p->prefix);
	free(p->folder);
}

/* --- the whole command --- */

static int check_options(const struct et_lab_request *r, struct et_error *err)
{
	if (r->given & ET_LAB_PRESET && r->given & (ET_LAB_LENGTHS | ET_LAB_RUNS))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--preset sets the length and the runs, so --lengths and --runs are not "
			"valid");
	if (r->measure.n_lengths > 1)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"lab %s: --lengths takes one length, that of each run", r->name);
	return r->measure.from ? et_lab_check_from(r, err) : 0;
}

static void set_sizes(struct et_profiling *p)
{
	const struct et_lab_request *r = p->r;
	bool paper = r->given & ET_LAB_PRESET;

	p->runs = r->measure.runs ? (uint32_t)r->measure.runs
		  : paper         ? p->lab->paper_runs
				  : p->lab->runs;
	p->work_ns = r->measure.n_lengths ? r->measure.lengths_ns[0]
		     : paper              ? p->lab->paper_work_ns
					  : p->lab->work_ns;
}

static bool has_runs(const struct et_profiling *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->parts[i].e && p->parts[i].e->profile->n_runs)
			return true;
	}
	return false;
}

static int print(const struct et_profiling *p, struct et_output *svg, struct et_error *err)
{
	FILE *f = svg->open ? et_output_begin(svg, err) : NULL;

	if (svg->open && !f)
		return -EIO;
	p->lab->print(p, f);
	return f ? et_output_end(svg, err) : 0;
}

static int conclude(const struct et_profiling *p, int rc)
{
	const struct et_lab_request *r = p->r;

	if (rc && rc != -EINTR)
		return rc;
	if (p->prefix && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *url = et_cli_store_url(r->cli);
		ET_AUTO_FREE char *clean = et_clean(url, "");
		fprintf(r->page.out, "\nstored as '%s' in %s\n", p->prefix, clean);
	}
	if (rc == -EINTR)
		fprintf(stderr, "etalon: interrupted; every finished sample is stored\n"
				"hint: run the same command with --resume to continue\n");
	return rc;
}

static int perform(struct et_profiling *p, struct et_output *svg, struct et_error *err)
{
	const char *from = p->r->measure.from;
	int rc = from ? et_profiling_find(p, from, err) : et_profiling_measure(p, err);

	if ((rc == 0 || rc == -EINTR) && p->prefix) {
		int loaded = et_profiling_load(p, err);
		rc = loaded ? loaded : rc;
	}
	if ((rc == 0 || rc == -EINTR) && has_runs(p)) {
		int printed = print(p, svg, err);
		rc = printed ? printed : rc;
	}
	return conclude(p, rc);
}

int et_profiling_run(
	struct et_lab_request *r, const struct et_profile_lab *lab, struct et_error *err)
{
	struct et_profiling *p = et_calloc(1, sizeof(*p));
	struct et_output svg = { 0 };
	int rc = check_options(r, err);

	p->r = r;
	p->lab = lab;
	p->cpu = -1;
	if (rc == 0)
		rc = et_lab_picture_open(r, &svg, err);
	if (rc == 0)
		rc = et_cli_own_path(p->exe, sizeof(p->exe), err);
	if (rc == 0) {
		set_sizes(p);
		lab->plan(p);
		rc = perform(p, &svg, err);
	}
	et_output_close(&svg);
	profiling_free(p);
	free(p);
	return rc;
}
