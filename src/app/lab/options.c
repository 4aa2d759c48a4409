/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of experiments that measure whose value is a list: "a,b,c". */
#include "app/lab/experiments.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "lab/rivals.h"
#include "put/subject.h"

#include <errno.h>
#include <string.h>

typedef int (*item_fn)(struct et_lab_measure *m, const struct et_option *o, const char *item,
	struct et_error *err);

/* Calls fn for each of "a,b,c". */
static int each_item(const struct et_option *o, const char *text, item_fn fn,
	struct et_lab_measure *m, struct et_error *err)
{
	int rc = 0;

	for (const char *end = text; rc == 0; text = end + 1) {
		end = strchrnul(text, ',');
		ET_AUTO_FREE char *item = et_strndup(text, (size_t)(end - text));
		rc = fn(m, o, item, err);
		if (!*end)
			break;
	}
	return rc;
}

const char *et_lab_program_name(size_t i)
{
	return et_subjects[i].name;
}

static int add_length(
	struct et_lab_measure *m, const struct et_option *o, const char *item, struct et_error *err)
{
	static const uint64_t longest_ns = 86400ull * 1000000000; /* also the limit of `put inc` */
	char shown[ET_OPTION_SHOWN];
	uint64_t ns;
	int rc = et_parse_duration(et_option_shown(o, shown), item, &ns, err);

	if (rc)
		return rc;
	if (ns > longest_ns)
		return et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is above one day", shown, item);
	if (m->n_lengths == ET_MAX_LENGTHS)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "%s: more than %d values", shown,
			ET_MAX_LENGTHS);
	if (m->n_lengths && ns <= m->lengths_ns[m->n_lengths - 1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%s: %s is not above the value before it", shown, item);
	m->lengths_ns[m->n_lengths++] = ns;
	return 0;
}

static int add_load(
	struct et_lab_measure *m, const struct et_option *o, const char *item, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];
	uint64_t n;
	int rc = et_parse_u64(et_option_shown(o, shown), item, 1, ET_RIVALS_MAX + 1, &n, err);

	if (rc)
		return rc;
	if (m->n_loads == ET_MAX_LOADS)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "%s: more than %d values", shown, ET_MAX_LOADS);
	if (m->n_loads && n <= m->loads[m->n_loads - 1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%s: %s is not above the value before it", shown, item);
	m->loads[m->n_loads++] = (unsigned)n;
	return 0;
}

static int add_program(
	struct et_lab_measure *m, const struct et_option *o, const char *item, struct et_error *err)
{
	int i = et_option_find(o, item, err);

	if (i < 0)
		return i;
	m->programs |= 1u << i;
	return 0;
}

static int add_own_size(
	struct et_lab_measure *m, const struct et_option *o, const char *item, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];
	uint64_t size;
	int rc = et_parse_u64(et_option_shown(o, shown), item, 1, 100000000, &size, err);

	if (rc)
		return rc;
	if (m->n_own_sizes == ET_MAX_LENGTHS)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "%s: more than %d values", shown,
			ET_MAX_LENGTHS);
	if (m->n_own_sizes && size <= m->own_sizes[m->n_own_sizes - 1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%s: %s is not above the value before it", shown, item);
	m->own_sizes[m->n_own_sizes++] = size;
	return 0;
}

static int add_size(
	struct et_lab_measure *m, const struct et_option *o, const char *item, struct et_error *err)
{
	if (item[0] >= '0' && item[0] <= '9')
		return add_own_size(m, o, item, err);
	int i = et_option_find(o, item, err);

	if (i < 0)
		return i;
	m->sizes |= 1u << i;
	return 0;
}

static int add_pair(
	struct et_lab_measure *m, const struct et_option *o, const char *item, struct et_error *err)
{
	int i = et_option_find(o, item, err);

	if (i < 0)
		return i;
	m->pairs |= 1u << i;
	return 0;
}

int et_lab_set_lengths(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_lab_measure *m = et_option_target(o, ctx);

	m->n_lengths = 0;
	return each_item(o, args[0], add_length, m, err);
}

int et_lab_set_loads(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_lab_measure *m = et_option_target(o, ctx);

	m->n_loads = 0;
	return each_item(o, args[0], add_load, m, err);
}

int et_lab_set_programs(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return each_item(o, args[0], add_program, et_option_target(o, ctx), err);
}

int et_lab_set_sizes(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_lab_measure *m = et_option_target(o, ctx);

	m->n_own_sizes = 0;
	return each_item(o, args[0], add_size, m, err);
}

int et_lab_set_pairs(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return each_item(o, args[0], add_pair, et_option_target(o, ctx), err);
}
