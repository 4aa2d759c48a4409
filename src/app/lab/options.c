/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of experiments that measure whose value is a list: "a,b,c". */
#include "app/lab/experiments.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "lab/rivals.h"

#include <errno.h>
#include <string.h>

typedef int (*item_fn)(
	void *target, const struct et_option *o, const char *item, struct et_error *err);

/* Calls fn for each of "a,b,c". */
static int each_item(
	const struct et_option *o, const char *text, item_fn fn, void *target, struct et_error *err)
{
	int rc = 0;

	for (const char *end = text; rc == 0; text = end + 1) {
		end = strchrnul(text, ',');
		ET_AUTO_FREE char *item = et_strndup(text, (size_t)(end - text));
		rc = fn(target, o, item, err);
		if (!*end)
			break;
	}
	return rc;
}

/* Appends a number, which item was read as, to a list that ascends. */
static int append(const struct et_option *o, const char *item, uint64_t x, uint64_t *list,
	size_t *n, size_t most, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];

	et_option_shown(o, shown);
	if (*n == most)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "%s: more than %zu values", shown, most);
	if (*n && x <= list[*n - 1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%s: %s is not above the value before it", shown, item);
	list[(*n)++] = x;
	return 0;
}

static int add_length(
	void *target, const struct et_option *o, const char *item, struct et_error *err)
{
	static const uint64_t longest_ns = 86400ull * 1000000000; /* also the limit of `put inc` */
	struct et_lab_measure *m = target;
	char shown[ET_OPTION_SHOWN];
	uint64_t ns;
	int rc = et_parse_duration(et_option_shown(o, shown), item, &ns, err);

	if (rc == 0 && ns > longest_ns)
		rc = et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is above one day", shown, item);
	return rc ? rc : append(o, item, ns, m->lengths_ns, &m->n_lengths, ET_MAX_LENGTHS, err);
}

static int add_load(void *target, const struct et_option *o, const char *item, struct et_error *err)
{
	struct et_lab_measure *m = target;
	char shown[ET_OPTION_SHOWN];
	uint64_t n;
	int rc = et_parse_u64(et_option_shown(o, shown), item, 1, ET_RIVALS_MAX + 1, &n, err);

	return rc ? rc : append(o, item, n, m->loads, &m->n_loads, ET_MAX_LOADS, err);
}

static int add_choice(
	void *target, const struct et_option *o, const char *item, struct et_error *err)
{
	unsigned *bits = target;
	int i = et_option_find(o, item, err);

	if (i < 0)
		return i;
	*bits |= 1u << i;
	return 0;
}

static int add_size(void *target, const struct et_option *o, const char *item, struct et_error *err)
{
	struct et_lab_measure *m = target;
	char shown[ET_OPTION_SHOWN];
	uint64_t n;

	if (item[0] < '0' || item[0] > '9')
		return add_choice(&m->sizes, o, item, err);
	int rc = et_parse_u64(et_option_shown(o, shown), item, 1, 100000000, &n, err);
	return rc ? rc : append(o, item, n, m->own_sizes, &m->n_own_sizes, ET_MAX_LENGTHS, err);
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

int et_lab_set_choices(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return each_item(o, args[0], add_choice, et_option_target(o, ctx), err);
}

int et_lab_set_sizes(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_lab_measure *m = et_option_target(o, ctx);

	m->n_own_sizes = 0;
	return each_item(o, args[0], add_size, m, err);
}
