/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon lab clock-methods`: INC timed by clocks that it reads itself, by clocks read around it,
 * and by EMP. The program appends its own readings to a file; they are stored as a fact beside the
 * experiment, because a sample has no place for them.
 */
#include "app/lab/view/clock_methods.h"
#include "app/lab/experiments.h"
#include "app/lab/measured.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "protocol/precision.h"
#include "source/stored.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The readings of each command. */
struct inside {
	struct et_inside *list;
	size_t n;
};

static void inside_free(struct inside *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i].runs);
	free(all->list);
}

static void add_reading(struct et_inside *to, uint64_t clock_ns, uint64_t counter_ticks)
{
	ET_GROW(to->runs, to->n, to->room);
	to->runs[to->n++] = (struct et_inside_reading){ clock_ns, counter_ticks };
}

/* A line has nanoseconds and, on a machine with a counter, its ticks. */
static void add_line(struct et_inside *to, const char *line)
{
	uint64_t ns, ticks;
	int n = sscanf(line, "%" SCNu64 " %" SCNu64, &ns, &ticks);

	if (n >= 1)
		add_reading(to, ns, n == 2 ? ticks : ET_UNKNOWN);
}

static char *readings_path(const char *folder, size_t command)
{
	return et_asprintf("%s/%zu", folder, command);
}

/* Reads what the programs reported. A command that never ran has no file. */
static void read_reports(const char *folder, struct inside *all)
{
	for (size_t i = 0; i < all->n; i++) {
		ET_AUTO_FREE char *path = readings_path(folder, i);
		FILE *f = fopen(path, "re");
		char line[128];
		while (f && fgets(line, sizeof(line), f))
			add_line(&all->list[i], line);
		if (f)
			fclose(f);
	}
}

/* --- the fact --- */

static char *fact_key(const struct et_experiment *e)
{
	return et_asprintf("clock-methods %s", e->id);
}

/* The fact is one line per reading: the command, then the line of its report. */
static int keep(const struct et_lab_request *r, const struct et_experiment *e,
	const struct inside *all, struct et_error *err)
{
	ET_AUTO_FREE char *key = fact_key(e);
	ET_AUTO_FREE char *text = NULL;
	struct et_store *store;

	for (size_t i = 0; i < all->n; i++) {
		for (size_t k = 0; k < all->list[i].n; k++) {
			const struct et_inside_reading *one = &all->list[i].runs[k];
			et_append(&text, "\n", "%zu %" PRIu64, i, one->clock_ns);
			if (one->counter_ticks != ET_UNKNOWN)
				et_append(&text, " ", "%" PRIu64, one->counter_ticks);
		}
	}
	if (!text)
		return 0;
	int rc = et_stored_open(r->cli, ET_STORE_WRITE, &store, err);
	if (rc)
		return rc;
	rc = et_store_set_fact(store, e->machine, key, text, err);
	et_store_close(store);
	return rc;
}

/* An experiment of another command has no such fact, so its readings stay empty. */
static int fetch(const struct et_lab_request *r, const struct et_experiment *e, struct inside *all,
	struct et_error *err)
{
	ET_AUTO_FREE char *key = fact_key(e);
	ET_AUTO_FREE char *text = NULL;
	struct et_store *store;
	int rc = et_stored_open(r->cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
	rc = et_store_get_fact(store, e->machine, key, &text, err);
	et_store_close(store);
	for (const char *line = text; rc == 0 && line; line = strchr(line, '\n')) {
		char *end;
		line += *line == '\n';
		unsigned long i = strtoul(line, &end, 10);
		if (end != line && i < all->n)
			add_line(&all->list[i], end);
	}
	return rc;
}

/* --- the experiment --- */

static int plan(
	struct et_lab_request *r, const char *folder, struct et_experiment *e, struct et_error *err)
{
	static const uint64_t usual_ns = 8000000000;
	const struct et_lab_measure *m = &r->measure;
	size_t n = m->n_lengths ? m->n_lengths : 1;
	char exe[PATH_MAX];
	int rc = et_program_find("etalon", exe, err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		uint64_t ns = m->n_lengths ? m->lengths_ns[i] : usual_ns;
		ET_AUTO_FREE char *length = et_asprintf("%" PRIu64 "ns", ns);
		ET_AUTO_FREE char *report = readings_path(folder, i);
		et_experiment_add_command(e, et_asprintf("INC%.6g", 1e-9 * (double)ns),
			et_strv_of(
				exe, "put", "inc", "--seconds", length, "--report", report, NULL));
	}
	return rc;
}

static int measure(struct et_lab_request *r, struct inside *all, struct et_experiment **out,
	struct et_error *err)
{
	struct et_experiment *e;
	char *folder = NULL;
	int rc = et_lab_folder_make(&folder, err);

	if (rc)
		return rc;
	e = et_experiment_new();
	e->protocol = ET_PROTOCOL_EMP;
	rc = plan(r, folder, e, err);
	if (rc == 0)
		rc = et_lab_measure(r, e, 40, out, err);
	else
		et_experiment_free(e);
	if (*out) {
		struct et_error unkept;
		all->n = (*out)->n_commands;
		all->list = et_calloc(all->n + 1, sizeof(*all->list));
		read_reports(folder, all);
		if (keep(r, *out, all, &unkept) && rc == 0) {
			*err = unkept;
			rc = -EIO;
		}
	}
	et_lab_folder_remove(folder);
	return rc;
}

static int load(struct et_lab_request *r, struct inside *all, struct et_experiment **out,
	struct et_error *err)
{
	int rc = et_lab_load(r, out, err);

	if (rc)
		return rc;
	all->n = (*out)->n_commands;
	all->list = et_calloc(all->n + 1, sizeof(*all->list));
	return fetch(r, *out, all, err);
}

static int print(struct et_lab_request *r, const struct et_experiment *e, const struct inside *all,
	struct et_error *err)
{
	ET_AUTO_FREE struct et_clock_methods *list = et_calloc(e->n_commands + 1, sizeof(*list));
	FILE *svg = NULL;

	for (size_t i = 0; i < e->n_commands; i++)
		et_clock_methods_judge(&e->commands[i], &all->list[i], &list[i]);
	if (r->given & ET_LAB_JSON)
		et_clock_methods_json(e, list, r->page.out);
	else
		et_clock_methods_text(e, list, &r->page);
	int rc = et_lab_picture(r, &svg, err);
	if (svg)
		et_clock_methods_svg(e, list, svg);
	for (size_t i = 0; i < e->n_commands; i++)
		et_clock_methods_free(&list[i]);
	return rc;
}

int et_lab_clock_methods(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct et_experiment *e = NULL;
	struct inside all = { 0 };
	int rc = r->measure.from ? load(r, &all, &e, err) : measure(r, &all, &e, err);

	if (e && (rc == 0 || rc == -EINTR)) {
		int printed = print(r, e, &all, err);
		rc = printed ? printed : rc;
	}
	rc = et_lab_conclude(r, e, rc);
	inside_free(&all);
	et_experiment_free(e);
	return rc;
}
