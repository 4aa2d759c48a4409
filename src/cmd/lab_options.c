/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of experiments that measure. */
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/lab_experiments.h"
#include "lab/rivals.h"
#include "put/subject.h"

#include <errno.h>
#include <string.h>

typedef int (*item_fn)(void *ctx, const char *option, const char *item, struct et_error *err);

/* Each of "a,b,c". */
static int each_item(
	const char *option, const char *text, item_fn fn, void *ctx, struct et_error *err)
{
	int rc = 0;

	for (const char *end = text; rc == 0; text = end + 1) {
		end = strchrnul(text, ',');
		ET_AUTO_FREE char *item = et_strndup(text, (size_t)(end - text));
		rc = fn(ctx, option, item, err);
		if (!*end)
			break;
	}
	return rc;
}

static int add_length(void *ctx, const char *option, const char *item, struct et_error *err)
{
	static const uint64_t longest_ns = 86400ull * 1000000000; /* as `put inc` has it */
	struct et_lab_measure *m = ctx;
	uint64_t ns;
	int rc = et_parse_duration(option, item, &ns, err);

	if (rc)
		return rc;
	if (ns > longest_ns)
		return et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is above one day", option, item);
	if (m->n_lengths == ET_MAX_LENGTHS)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "%s: more than %d", option, ET_MAX_LENGTHS);
	if (m->n_lengths && ns <= m->lengths_ns[m->n_lengths - 1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: %s is not above the one before it",
			option, item);
	m->lengths_ns[m->n_lengths++] = ns;
	return 0;
}

static int add_load(void *ctx, const char *option, const char *item, struct et_error *err)
{
	struct et_lab_measure *m = ctx;
	uint64_t n;
	int rc = et_parse_u64(option, item, 1, ET_RIVALS_MAX + 1, &n, err);

	if (rc)
		return rc;
	if (m->n_loads == ET_MAX_LOADS)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "%s: more than %d", option, ET_MAX_LOADS);
	if (m->n_loads && n <= m->loads[m->n_loads - 1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: %s is not above the one before it",
			option, item);
	m->loads[m->n_loads++] = (unsigned)n;
	return 0;
}

static int add_program(void *ctx, const char *option, const char *item, struct et_error *err)
{
	struct et_lab_measure *m = ctx;

	for (unsigned i = 0; et_subjects[i].name; i++) {
		if (!strcmp(et_subjects[i].name, item)) {
			m->programs |= 1u << i;
			return 0;
		}
	}
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: unknown program '%s'", option, item),
		"sort, matc, matr, bzip2, gcc, perl, gnugo, hmmer, povray, x264");
}

static int add_size(void *ctx, const char *option, const char *item, struct et_error *err)
{
	struct et_lab_measure *m = ctx;
	int i = et_name_index(et_subject_sizes, item);

	if (i < 0)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: unknown size '%s'", option, item),
			"small, medium, large");
	m->sizes |= 1u << i;
	return 0;
}

int et_lab_measure_option(struct et_lab_measure *m, int id, const char *arg, struct et_error *err)
{
	switch (id) {
	case ET_LAB_LENGTHS:
		m->n_lengths = 0;
		return each_item("--lengths", arg, add_length, m, err);
	case ET_LAB_LOADS:
		m->n_loads = 0;
		return each_item("--loads", arg, add_load, m, err);
	case ET_LAB_SVG:
		m->svg = arg;
		return 0;
	case ET_LAB_PROGRAMS:
		return each_item("--programs", arg, add_program, m, err);
	case ET_LAB_SIZES:
		return each_item("--sizes", arg, add_size, m, err);
	case ET_LAB_RUNS:
		return et_parse_u64("--runs", arg, 2, 1000000, &m->runs, err);
	case ET_LAB_FROM:
		m->from = arg;
		return 0;
	case ET_LAB_LABEL:
		m->label = arg;
		return 0;
	default: /* ET_LAB_PACE is in what was given */
		return 0;
	}
}
