/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/profile/view.h"
#include "app/profile/view_parts.h"
#include "draw/table.h"
#include "draw/terminal.h"

#define ROW(name, summary, option, help, write) { name, write },
const struct et_profile_format et_profile_formats[] = { ET_PROFILE_FORMATS(ROW){ 0 } };

const struct et_profile_format *et_profile_format_find(const char *name)
{
	for (const struct et_profile_format *f = et_profile_formats; f->name; f++) {
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}

/* --- parts --- */

double et_span_half(struct et_span s, double x)
{
	return isnan(s.lo) || isnan(s.hi) ? NAN : fmax(s.hi - x, x - s.lo);
}

const char *et_profile_whole(const struct et_profile *p)
{
	bool user = p->way != ET_PROFILE_IMPORTED && (p->plan.user_only || !p->kernel_allowed);

	if (!strcmp(p->event, "Ir")) /* of callgrind */
		return "instructions";
	if (!strcmp(p->event, "cycles"))
		return user ? "user cycles" : "cycles";
	return p->way == ET_PROFILE_IMPORTED ? "samples" : user ? "user time" : "CPU time";
}

const char *et_profile_unit(const struct et_profile *p)
{
	return strcmp(p->event, "Ir") ? "samples" : et_profile_whole(p);
}

const char *et_profile_module_name(const char *module)
{
	const char *slash = module ? strrchr(module, '/') : NULL;

	return slash && slash[1] ? slash + 1 : module ? module : "";
}

const char *et_profile_number(double x, char buf[ET_FIGURE])
{
	if (!isfinite(x))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%.*f", fabs(x) >= 100 ? 0 : fabs(x) >= 10 ? 1 : 2, x);
	return buf;
}

size_t et_profile_shown(const struct et_profile_options *v, const struct et_profile_result *r)
{
	enum { ALWAYS = 3 };
	size_t n = v->top && v->top < r->n_rows ? v->top : r->n_rows;

	while (n > ALWAYS &&
		(v->total ? r->rows[n - 1].total_mean : r->rows[n - 1].mean) < v->least)
		n--;
	return n;
}

size_t et_profile_seen(const struct et_profiled *p, const struct et_profile_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		n += p->view.total || r->rows[i].samples > 0;
	return n;
}

const char *et_profile_row_name(const struct et_profile_row *r)
{
	return r->name ? r->name : et_profile_module_name(r->module);
}

struct et_span et_percent(struct et_span s)
{
	return (struct et_span){ 100 * s.lo, 100 * s.hi };
}

const char *et_format_share(double share, struct et_span interval, char buf[ET_FIGURE])
{
	char number[ET_FIGURE], rest[ET_FIGURE];

	et_split_figure(100 * share, et_percent(interval), number, rest);
	if (!isfinite(share))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else if (rest[0] == '(')
		snprintf(buf, ET_FIGURE, "%.40s %% %.50s", number, rest);
	else
		snprintf(buf, ET_FIGURE, "%.40s%s%.40s %%", number, *rest ? " " : "", rest);
	return buf;
}

/* --- intervals --- */

char *et_profile_larger_k(const struct et_profile_result *r)
{
	const char *kind = r->by == ET_BY_MODULE ? "module" : "function";
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct et_profile_row *row = &r->rows[i];
		n += row->skewed || row->dependent ||
		     (row->share_method && !strcmp(row->share_method, "student-t-widened"));
	}
	if (!n || r->runs < 2)
		return NULL;
	return et_asprintf("k is larger for %zu %s%s whose counts are skewed or dependent", n, kind,
		n == 1 ? "" : "s");
}

const char *et_profile_method(const struct et_profile_row *r)
{
	if (r->skewed && r->dependent)
		return "t, both";
	if (r->skewed || r->dependent)
		return r->skewed ? "t, skewed" : "t, dependent";
	return r->interval_method && !strcmp(r->interval_method, "student-t") ? "t"
									      : r->interval_method;
}

/* --- models --- */

const char *const et_profile_model_names[ET_PROFILE_MODELS] = { "√N", "multinomial", "quantisation",
	"multinomial and total" };

struct et_span et_profile_sd_interval(const struct et_profile_row *r, const char **method)
{
	static const char *const names[] = { "bootstrap-bca", "bootstrap-percentile", "chi-square",
		NULL };
	const struct et_span known[] = { r->sd_bca, r->sd_percentile, r->sd_chi2 };
	size_t i = 0;

	while (i < ET_LENGTH(known) && !(isfinite(known[i].lo) && isfinite(known[i].hi)))
		i++;
	if (method)
		*method = names[i];
	return i < ET_LENGTH(known) ? known[i] : r->sd_chi2;
}

/* --- names of functions: those of C++ are longer than any page --- */

enum { LONG_NAME = 40 };

#define ANONYMOUS "(anonymous namespace)"
#define OPERATOR "operator"

/* The length of "operator<<" and the like, in which the signs are no brackets; 0: it is none. */
static size_t operator_length(const char *name, const char *at)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "()", "<<", ">>",
		"<=", ">=", "->", "<", ">" };
	size_t n = sizeof(OPERATOR) - 1;
	bool inside = at > name && (at[-1] == '_' || (at[-1] >= 'a' && at[-1] <= 'z') ||
					   (at[-1] >= 'A' && at[-1] <= 'Z'));

	if (inside || strncmp(at, OPERATOR, n) != 0)
		return 0;
	for (size_t i = 0; i < ET_LENGTH(signs); i++) {
		size_t length = strlen(signs[i]);
		if (!strncmp(at + n, signs[i], length))
			return n + length;
	}
	return 0;
}

char *et_profile_short_name(const char *name)
{
	char *out = et_strdup(name), *to = out;
	size_t depth = 0;

	if (et_columns(name) <= LONG_NAME)
		return out;
	for (const char *at = name; *at; at++) {
		size_t whole = depth ? 0
			       : !strncmp(at, ANONYMOUS, sizeof(ANONYMOUS) - 1)
				       ? sizeof(ANONYMOUS) - 1
				       : operator_length(name, at);
		if (whole) {
			memcpy(to, at, whole);
			to += whole;
			at += whole - 1;
			continue;
		}
		if (strchr("<(", *at) && !depth++ && *at == '<') {
			memcpy(to, "<>", 2);
			to += 2;
		} else if (strchr(">)", *at)) {
			depth -= depth > 0;
		} else if (!depth) {
			*to++ = *at;
		}
	}
	*to = '\0';
	return out;
}

/* Puts the parts in which the whole names differ in place of equal short ones. */
static void tell_apart(const char *const *names, char **brief, size_t n, size_t first)
{
	ET_AUTO_FREE const char **whole = et_calloc(n + 1, sizeof(*whole));
	ET_AUTO_FREE size_t *at = et_calloc(n + 1, sizeof(*at));
	size_t same = 0;

	for (size_t i = first; i < n; i++) {
		if (strcmp(brief[i], brief[first]) != 0)
			continue;
		at[same] = i;
		whole[same++] = names[i];
	}
	if (same < 2)
		return;
	char **fitted = et_names_fit(whole, same, LONG_NAME);
	for (size_t i = 0; i < same; i++) {
		free(brief[at[i]]);
		brief[at[i]] = fitted[i];
	}
	free(fitted);
}

char **et_profile_short_names(const char *const *names, size_t n)
{
	char **out = et_calloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = et_profile_short_name(names[i]);
	for (size_t i = 0; i < n; i++)
		tell_apart(names, out, n, i);
	return out;
}
