/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/parameters.h"
#include "base/memstream.h"
#include "base/parse.h"

#include <ctype.h>

enum { MOST_VALUES = 100000 };

bool et_parameter_is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-')
			return false;
	}
	return true;
}

static int add_range(
	struct et_ranges *r, const char *name, struct et_range **out, struct et_error *err)
{
	if (!et_parameter_is_name(name))
		return et_refuse(
			err, NULL, "'%s' is not a parameter name (letters, digits, _ and -)", name);
	for (size_t i = 0; i < r->n; i++) {
		if (!strcmp(r->list[i].name, name))
			return et_fail(
				err, EEXIST, ET_EXIT_USAGE, "parameter %s is given twice", name);
	}
	ET_GROW(r->list, r->n, r->cap);
	*out = &r->list[r->n++];
	memset(*out, 0, sizeof(**out));
	(*out)->name = et_strdup(name);
	return 0;
}

int et_ranges_add_list(
	struct et_ranges *r, const char *name, const char *values, struct et_error *err)
{
	struct et_range *range;
	size_t cap = 0;
	int rc = add_range(r, name, &range, err);

	if (rc)
		return rc;
	for (const char *p = values;; p++) {
		size_t len = strcspn(p, ",");
		ET_GROW(range->values, range->n_values, cap);
		range->values[range->n_values++] = et_strndup(p, len);
		p += len;
		if (!*p)
			return 0;
	}
}

static int decimals(const char *text)
{
	const char *point = strchr(text, '.');

	return point ? (int)strspn(point + 1, "0123456789") : 0;
}

int et_ranges_add_scan(struct et_ranges *r, const char *name, const char *min, const char *max,
	const char *step, struct et_error *err)
{
	double lo, hi, by;
	struct et_range *range;
	int rc = et_parse_double("--parameter-scan", min, &lo, err);

	if (rc == 0)
		rc = et_parse_double("--parameter-scan", max, &hi, err);
	if (rc == 0)
		rc = et_parse_double("--parameter-step-size", step, &by, err);
	if (rc)
		return rc;
	if (!(by > 0))
		return et_fail(err, ERANGE, ET_EXIT_USAGE,
			"--parameter-step-size %s: the step must be above 0", step);
	if (hi < lo)
		return et_hint(err,
			et_fail(err, ERANGE, ET_EXIT_USAGE,
				"--parameter-scan %s: %s to %s is not a range", name, min, max),
			"give the smaller number first: --parameter-scan %s %s %s", name, max, min);
	/* Slightly more than the quotient, so that 0 to 1 by 0.1 reaches 1 despite rounding. */
	double count = floor((hi - lo) / by * (1 + 1e-12) + 1e-9) + 1;
	if (count > MOST_VALUES)
		return et_fail(err, ERANGE, ET_EXIT_USAGE,
			"--parameter-scan %s: more than %d values", name, MOST_VALUES);
	rc = add_range(r, name, &range, err);
	if (rc)
		return rc;
	int places = decimals(min) > decimals(step) ? decimals(min) : decimals(step);
	range->n_values = (size_t)count;
	range->values = et_calloc(range->n_values, sizeof(char *));
	for (size_t i = 0; i < range->n_values; i++)
		range->values[i] = et_asprintf("%.*f", places, lo + (double)i * by);
	return 0;
}

void et_ranges_free(struct et_ranges *r)
{
	for (size_t i = 0; i < r->n; i++) {
		for (size_t k = 0; k < r->list[i].n_values; k++)
			free(r->list[i].values[k]);
		free(r->list[i].values);
		free(r->list[i].name);
	}
	free(r->list);
	memset(r, 0, sizeof(*r));
}

size_t et_ranges_product(const struct et_ranges *r)
{
	size_t product = 1;

	for (size_t i = 0; i < r->n; i++)
		product = product > MOST_VALUES ? product : product * r->list[i].n_values;
	return product;
}

void et_ranges_pick(const struct et_ranges *r, size_t k, struct et_parameter **out)
{
	struct et_parameter *p = et_calloc(r->n, sizeof(*p));

	for (size_t left = r->n; left > 0; left--) {
		size_t i = r->first_fastest ? r->n - left : left - 1;
		const struct et_range *range = &r->list[i];
		p[i].name = et_strdup(range->name);
		p[i].value = et_strdup(range->values[k % range->n_values]);
		k /= range->n_values;
	}
	*out = p;
}

static const struct et_parameter *find(
	const struct et_parameter *p, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(p[i].name) == len && !strncmp(p[i].name, name, len))
			return &p[i];
	}
	return NULL;
}

static int unknown(const char *text, const char *name, int len, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "unknown parameter {%.*s} in: %s", len, name,
			text),
		"give it with --parameter-list %.*s a,b,c; braces with a space inside, { %.*s }, "
		"are left "
		"alone",
		len, name, len, name);
}

int et_parameters_fill(
	const char *text, const struct et_parameter *p, size_t n, char **out, struct et_error *err)
{
	struct et_memstream stream;
	FILE *f = et_memstream_open(&stream);
	int rc = 0;

	for (const char *s = text; rc == 0 && *s; s++) {
		size_t len = *s == '{' ? strcspn(s + 1, "{}") : 0;
		ET_AUTO_FREE char *word = et_strndup(s + 1, len);
		const struct et_parameter *match = find(p, n, word, len);
		if (*s != '{' || s[1 + len] != '}' || !n || !et_parameter_is_name(word)) {
			putc(*s, f);
		} else if (match) {
			fputs(match->value, f);
			s += len + 1;
		} else {
			rc = unknown(text, word, (int)len, err);
		}
	}
	char *filled = et_memstream_close(&stream);
	if (rc) {
		free(filled);
		return rc;
	}
	*out = filled;
	return 0;
}
