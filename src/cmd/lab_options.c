/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of experiments that measure whose value is a list: "a,b,c". */
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/lab_experiments.h"
#include "lab/rivals.h"
#include "put/subject.h"

#include <errno.h>
#include <string.h>

typedef int (*item_fn)(void *ctx, const char *option, const char *item, struct et_error *err);

/* Calls fn for each of "a,b,c". */
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
	static const uint64_t longest_ns = 86400ull * 1000000000; /* also the limit of `put inc` */
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
	char list[256] = "";
	for (size_t i = 0, len = 0; et_subjects[i].name && len < sizeof(list); i++)
		len += (size_t)snprintf(
			list + len, sizeof(list) - len, "%s%s", i ? ", " : "", et_subjects[i].name);
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: unknown program '%s'", option, item),
		"use one of %s", list);
}

static int add_size(void *ctx, const char *option, const char *item, struct et_error *err)
{
	struct et_lab_measure *m = ctx;
	int i = et_name_index(et_subject_sizes, item);

	if (i < 0)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: unknown size '%s'", option, item),
			"use one of %s, %s, %s", et_subject_sizes[0], et_subject_sizes[1],
			et_subject_sizes[2]);
	m->sizes |= 1u << i;
	return 0;
}

int et_lab_set_lengths(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_lab_measure *m = et_option_target(o, ctx);

	m->n_lengths = 0;
	return each_item("--lengths", args[0], add_length, m, err);
}

int et_lab_set_loads(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_lab_measure *m = et_option_target(o, ctx);

	m->n_loads = 0;
	return each_item("--loads", args[0], add_load, m, err);
}

int et_lab_set_programs(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return each_item("--programs", args[0], add_program, et_option_target(o, ctx), err);
}

int et_lab_set_sizes(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return each_item("--sizes", args[0], add_size, et_option_target(o, ctx), err);
}
