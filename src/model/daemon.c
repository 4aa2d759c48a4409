/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/daemon.h"
#include "base/alloc.h"
#include "base/hash.h"

#include <math.h>
#include <string.h>

/* --- names --- */

/* Nobody gains by choosing names that collide. */
static size_t hash(const char *s)
{
	uint64_t h = et_hash_text(s);

	return (size_t)(h ^ h >> 32);
}

/* Returns the bucket of a name: it holds the name's index + 1, or 0 if the name is new. */
static uint32_t *slot_of(struct et_daemon_record *r, const char *name)
{
	size_t i = hash(name) & (r->n_buckets - 1);

	while (r->buckets[i] && strcmp(r->names[r->buckets[i] - 1], name))
		i = (i + 1) & (r->n_buckets - 1);
	return &r->buckets[i];
}

static void rehash(struct et_daemon_record *r)
{
	free(r->buckets);
	r->n_buckets = r->n_buckets ? 2 * r->n_buckets : 64;
	r->buckets = et_calloc(r->n_buckets, sizeof(*r->buckets));
	for (size_t i = 0; i < r->n_names; i++)
		*slot_of(r, r->names[i]) = (uint32_t)i + 1;
}

uint32_t et_daemon_record_name(struct et_daemon_record *r, const char *name)
{
	if (2 * (r->n_names + 1) > r->n_buckets)
		rehash(r);
	uint32_t *bucket = slot_of(r, name);
	if (!*bucket) {
		ET_GROW(r->names, r->n_names, r->cap_names);
		r->names[r->n_names++] = et_strdup(name);
		*bucket = (uint32_t)r->n_names;
	}
	return *bucket - 1;
}

const char *et_daemon_of(const struct et_culprit *x)
{
	return x->kernel_thread && !strncmp(x->name, "kworker/", 8) ? "kworker" : x->name;
}

/* --- samples --- */

struct et_daemon_sample *et_daemon_run_add(struct et_daemon_run *run, uint32_t number, double at_s)
{
	ET_GROW(run->listed, run->n_listed, run->cap_listed);
	run->listed[run->n_listed] = (struct et_daemon_sample){ .number = number,
		.at_s = at_s,
		.elapsed_ms = NAN,
		.cpu_ms = NAN,
		.first = run->n_executions };
	return &run->listed[run->n_listed++];
}

void et_daemon_run_execution(struct et_daemon_run *run, uint32_t name, double ms)
{
	ET_GROW(run->executions, run->n_executions, run->cap_executions);
	run->executions[run->n_executions++] = (struct et_execution){ name, ms };
	run->listed[run->n_listed - 1].n++;
}

/* Numbers continue over the pause of a resumed run, so look at the time as well. */
bool et_daemon_successive(const struct et_daemon_run *run, size_t i)
{
	if (i + 1 >= run->n_listed)
		return false;
	const struct et_daemon_sample *a = &run->listed[i], *b = a + 1;
	double took = isnan(a->elapsed_ms) ? 0 : 1e-3 * a->elapsed_ms;

	return b->number == a->number + 1 &&
	       b->at_s - a->at_s <= fmax(took, run->sample_seconds) + 2 * run->sample_seconds;
}

bool et_daemon_pair(const struct et_daemon_run *run, size_t i)
{
	return et_daemon_successive(run, i) && run->listed[i].number % 2 == 1;
}

/* --- settling --- */

struct sorted_name {
	char *text;
	uint32_t old;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct sorted_name *)a)->text, ((const struct sorted_name *)b)->text);
}

static void rename_all(struct et_daemon_run *run, const uint32_t *new_place)
{
	for (size_t i = 0; i < run->n_executions; i++)
		run->executions[i].name = new_place[run->executions[i].name];
	for (size_t i = 0; i < run->n_central; i++)
		run->central[i].name = new_place[run->central[i].name];
}

static bool whole_times(const struct et_daemon_run *run)
{
	for (size_t i = 0; i < run->n_executions; i++) {
		if (run->executions[i].ms != floor(run->executions[i].ms))
			return false;
	}
	return true;
}

static bool whole_samples(const struct et_daemon_run *run)
{
	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		if (w->elapsed_ms != floor(w->elapsed_ms) || w->cpu_ms != floor(w->cpu_ms))
			return !run->whole;
	}
	return true;
}

void et_daemon_record_settle(struct et_daemon_record *r)
{
	ET_AUTO_FREE struct sorted_name *names = et_calloc(r->n_names + 1, sizeof(*names));
	ET_AUTO_FREE uint32_t *new_place = et_calloc(r->n_names + 1, sizeof(*new_place));

	for (uint32_t i = 0; i < r->n_names; i++)
		names[i] = (struct sorted_name){ r->names[i], i };
	qsort(names, r->n_names, sizeof(*names), by_text);
	for (uint32_t i = 0; i < r->n_names; i++) {
		r->names[i] = names[i].text;
		new_place[names[i].old] = i;
	}
	free(r->buckets);
	r->buckets = NULL;
	r->n_buckets = 0;
	rename_all(&r->short_run, new_place);
	rename_all(&r->long_run, new_place);
	r->resolution_ms = whole_times(&r->short_run) && whole_times(&r->long_run) ? 1 : 0;
	r->step_ms = whole_samples(&r->short_run) && whole_samples(&r->long_run) ? 1 : 0;
}

static void run_free(struct et_daemon_run *run)
{
	free(run->listed);
	free(run->executions);
	free(run->central);
}

void et_daemon_record_free(struct et_daemon_record *r)
{
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i]);
	free(r->names);
	free(r->buckets);
	run_free(&r->short_run);
	run_free(&r->long_run);
}

static int by_name(const void *a, const void *b)
{
	const struct et_central *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

const struct et_central *et_findings_central(const struct et_run_findings *f, uint32_t name)
{
	struct et_central key = { .name = name };

	return f->n_central ? bsearch(&key, f->central, f->n_central, sizeof(*f->central), by_name)
			    : NULL;
}

static int by_collected(const void *a, const void *b)
{
	const struct et_collected *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

const struct et_collected *et_findings_collected(const struct et_run_findings *f, uint32_t name)
{
	struct et_collected key = { .name = name };

	return f->n_collected ? bsearch(&key, f->collected, f->n_collected, sizeof(*f->collected),
					by_collected)
			      : NULL;
}

static void run_findings_free(struct et_run_findings *f)
{
	free(f->far);
	free(f->explained);
	free(f->central);
	free(f->long_running);
	free(f->frequent);
	free(f->collected);
	free(f->removed);
}

void et_daemon_findings_free(struct et_daemon_findings *f)
{
	run_findings_free(&f->short_run);
	run_findings_free(&f->long_run);
	free(f->cutoffs);
}

void et_cutoffs_free(struct et_cutoffs *c)
{
	free(c->list);
}

double et_cutoff_for(const struct et_cutoff *c, double seconds)
{
	bool longer = c->n_final > 1 && seconds >= c->task_time_s;

	return c->final_ms[longer ? 1 : 0];
}
