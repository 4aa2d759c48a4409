/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out what the columns of a file of results are, from its header and the options. */
#include "base/alloc.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "store/import/results_table.h"

#include <string.h>

const char *const et_results_unit_names[] = { "auto", "s", "ms", "us", "ns", "bytes", "count",
	NULL };

bool et_results_is_name(const char *text)
{
	size_t length = strlen(text);

	if (!length || length > ET_RESULTS_MOST_NAME || *text == ' ' || text[length - 1] == ' ')
		return false;
	while (*text) {
		size_t n = et_utf8_length(text);
		uint32_t c = n ? et_utf8_decode(text, n) : 0;

		if (c < 0x20 || c == 0x7f || et_utf8_deceives(c))
			return false;
		text += n;
	}
	return true;
}

/* The place of a column; the number of columns if there is none. */
static size_t find(const struct et_results_table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n_columns && strcmp(cell(t, i), name))
		i++;
	return i;
}

static int unknown(struct et_results_table *t, const char *option, const char *name)
{
	struct et_nearest n = et_nearest_to(name);
	char names[ET_CSV_NAMES];

	for (size_t i = 0; i < t->n_columns; i++)
		et_nearest_offer(&n, cell(t, i));
	int rc = et_csv_fail(&t->rows, "there is no column '%.40s' (%s)", name, option);
	if (n.best)
		return et_hint(t->in.err, rc, "did you mean '%.40s'?", n.best);
	return et_hint(t->in.err, rc, "the columns are %s", et_csv_names(&t->rows, names));
}

/* Sets the use of a column that an option names, or that has a known name. */
static int use(struct et_results_table *t, const char *given, const char *option, const char *known,
	enum et_results_use what)
{
	size_t i = find(t, given ? given : known);

	if (i == t->n_columns)
		return given ? unknown(t, option, given) : 0;
	if (t->columns[i] != ET_RESULTS_FREE && !given)
		return 0;
	if (t->columns[i] != ET_RESULTS_FREE)
		return et_csv_fail(&t->rows, "the column '%.40s' cannot be two things (%s)",
			cell(t, i), option);
	t->columns[i] = what;
	return 0;
}

static int use_factors(struct et_results_table *t, const char *list)
{
	ET_AUTO_FREE char *copy = et_strdup(list ? list : "");
	char *rest = list ? copy : NULL, *name;

	while ((name = strsep(&rest, ","))) {
		int rc = use(t, name, "--factors", NULL, ET_RESULTS_FACTOR);
		if (rc)
			return rc;
	}
	return 0;
}

/* The metric of a column of our own, such as pt_ns; ET_METRICS: it is none. */
static enum et_metric own_metric(const char *name)
{
	char own[64];
	int m = 0;

	for (; m < ET_METRICS; m++) {
		snprintf(own, sizeof(own), "%s_%s", et_metrics[m].name,
			et_unit_names[et_metrics[m].unit]);
		if (!strcmp(own, name))
			break;
	}
	return (enum et_metric)m;
}

static bool is_free(const struct et_results_table *t, size_t i)
{
	return i < t->n_columns && t->columns[i] == ET_RESULTS_FREE;
}

/* Without an option: a name of our own, a usual one, or else the last column. */
static size_t guess_response(const struct et_results_table *t)
{
	static const char *const usual[] = { "response", "time", "elapsed", "seconds", "duration",
		"result", "value", "y" };

	for (size_t i = 0; i < t->n_columns; i++) {
		if (is_free(t, i) && own_metric(cell(t, i)) < ET_METRICS)
			return i;
	}
	for (size_t k = 0; k < ET_LENGTH(usual); k++) {
		if (is_free(t, find(t, usual[k])))
			return find(t, usual[k]);
	}
	for (size_t i = t->n_columns; i-- > 0;) {
		if (is_free(t, i))
			return i;
	}
	return t->n_columns;
}

static int use_response(struct et_results_table *t, const char *given)
{
	size_t at = given ? find(t, given) : guess_response(t);

	if (given && at == t->n_columns)
		return unknown(t, "--response", given);
	if (!is_free(t, at))
		return et_hint(t->in.err,
			et_csv_fail(&t->rows, "no column is left for the response"),
			"name it with --response");
	t->columns[at] = ET_RESULTS_RESPONSE;
	t->response = at;
	return 0;
}

static bool ends(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* "Time [ms]" and "time (ms)" */
static bool ends_in_brackets(const char *name, const char *unit)
{
	ET_AUTO_FREE char *square = et_asprintf("[%s]", unit), *round = et_asprintf("(%s)", unit);

	return ends(name, square) || ends(name, round);
}

static void set_unit(
	struct et_results_table *t, enum et_results_unit unit, struct et_results_found *found)
{
	static const struct {
		const char *end;
		enum et_results_unit unit;
	} known[] = { { "_ns", ET_RESULTS_NS }, { "_us", ET_RESULTS_US }, { "_ms", ET_RESULTS_MS },
		{ "_s", ET_RESULTS_S }, { "_bytes", ET_RESULTS_BYTES },
		{ "_ticks", ET_RESULTS_COUNT }, { "_count", ET_RESULTS_COUNT } };
	static const double factors[] = { [ET_RESULTS_S] = 1e9,
		[ET_RESULTS_MS] = 1e6,
		[ET_RESULTS_US] = 1e3,
		[ET_RESULTS_NS] = 1,
		[ET_RESULTS_BYTES] = 1,
		[ET_RESULTS_COUNT] = 1 };
	const char *name = cell(t, t->response);

	for (size_t i = 0; unit == ET_RESULTS_AUTO && i < ET_LENGTH(known); i++) {
		if (ends(name, known[i].end) || ends_in_brackets(name, known[i].end + 1))
			unit = known[i].unit;
	}
	unit = unit == ET_RESULTS_AUTO ? ET_RESULTS_S : unit;
	t->factor = factors[unit];
	if (found)
		*found = (struct et_results_found){ et_strdup(name), unit };
	t->metric = own_metric(name);
	if (t->metric == ET_METRICS)
		t->metric = unit == ET_RESULTS_BYTES   ? ET_METRIC_PEAK_MEMORY
			    : unit == ET_RESULTS_COUNT ? ET_METRIC_COUNTER
						       : ET_METRIC_ELAPSED;
}

static const char *why_no_name(const char *name)
{
	if (!*name)
		return "is empty";
	if (strlen(name) > ET_RESULTS_MOST_NAME)
		return "is too long";
	if (*name == ' ' || name[strlen(name) - 1] == ' ')
		return "begins or ends with a space";
	return strpbrk(name, ":,=") ? "has one of \":,=\"" : "is not plain text";
}

/* A name is part of terms such as a:b, and of lists. */
static int check_name(struct et_results_table *t, size_t i)
{
	const char *name = cell(t, i);

	if (!et_results_is_name(name) || strpbrk(name, ":,="))
		return et_hint(t->in.err,
			et_csv_fail(
				&t->rows, "the name of column %zu %s", i + 1, why_no_name(name)),
			"rename it, or list the factors with --factors");
	for (size_t k = 0; k < i; k++) {
		if (!strcmp(cell(t, k), name))
			return et_csv_fail(&t->rows, "two columns have the name '%.40s'", name);
	}
	return 0;
}

static int add_factors(struct et_results_table *t, struct et_design *d, bool listed)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->n_columns; i++) {
		if (t->columns[i] == ET_RESULTS_FREE)
			t->columns[i] = listed ? ET_RESULTS_IGNORED : ET_RESULTS_FACTOR;
		if (t->columns[i] != ET_RESULTS_FACTOR)
			continue;
		if (d->n_factors == ET_RESULTS_MOST_FACTORS)
			return et_import_fail(
				&t->in, NULL, "more than %d factors", ET_RESULTS_MOST_FACTORS);
		rc = check_name(t, i);
		if (!rc)
			et_design_add_factor(d, cell(t, i))->kind = ET_KIND_PARAMETER;
	}
	if (!rc && !d->n_factors)
		return et_hint(t->in.err, et_csv_fail(&t->rows, "no column is a factor"),
			"name them with --factors");
	return rc;
}

int et_results_columns(
	struct et_results_table *t, const struct et_results_options *o, struct et_design *d)
{
	t->n_columns = t->rows.n_cells;
	t->columns = et_calloc(t->n_columns, sizeof(*t->columns));
	int rc = use_factors(t, o->factors);
	if (!rc)
		rc = use(t, o->program, "--program", "program", ET_RESULTS_PROGRAM);
	if (!rc)
		rc = use(t, o->block, "--block", "block", ET_RESULTS_BLOCK);
	if (!rc)
		rc = use(t, NULL, "", "round", ET_RESULTS_ROUND);
	if (!rc)
		rc = use(t, NULL, "", "order", ET_RESULTS_ORDER);
	if (!rc)
		rc = use(t, NULL, "", "counts", ET_RESULTS_COUNTS);
	if (!rc)
		rc = use_response(t, o->response);
	if (!rc)
		rc = add_factors(t, d, o->factors != NULL);
	if (!rc)
		set_unit(t, o->unit, o->found);
	return rc;
}
