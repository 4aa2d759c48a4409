/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/core/sql.h"

const struct et_columns et_columns_sample = { "sample", "", et_sample_fields, NULL };
const struct et_columns et_columns_removal = { "removal", "removed_", et_removal_fields, NULL };
/* The names of culprits are in a table of their own, process. */
const struct et_columns et_columns_culprit = { "culprit", "", et_culprit_fields, "name" };
const struct et_columns et_columns_plan = { "plan", "plan_", et_plan_fields, NULL };
const struct et_columns et_columns_child = { "child", "child_", et_child_fields, NULL };
const struct et_columns et_columns_host = { "host", "host_", et_host_fields, NULL };
const struct et_columns et_columns_factor = { "factor", "", et_factor_fields, NULL };
const struct et_columns et_columns_first_check = { "first_check", "first_check_",
	et_first_check_fields, NULL };

const struct et_columns et_columns_member = { "member", "member_", et_member_fields, NULL };
const struct et_columns et_columns_study = { "study", "study_", et_study_fields, NULL };
const struct et_columns et_columns_figure = { "figure", "", et_figure_fields, NULL };

const struct et_columns et_columns_profile_plan = { "profile_plan", "plan_", et_profile_plan_fields,
	NULL };
const struct et_columns et_columns_profile = { "profile", "", et_profile_fields, NULL };
const struct et_columns et_columns_profile_function = { "function", "", et_profile_function_fields,
	NULL };
const struct et_columns et_columns_profile_run = { "profile_run", "", et_profile_run_fields, NULL };

static const struct et_columns *const lists[] = { &et_columns_sample, &et_columns_removal,
	&et_columns_culprit, &et_columns_plan, &et_columns_child, &et_columns_host,
	&et_columns_factor, &et_columns_first_check, &et_columns_member, &et_columns_study,
	&et_columns_figure, &et_columns_profile_plan, &et_columns_profile,
	&et_columns_profile_function, &et_columns_profile_run };

#define ROW(name, text) [ET_SQL_##name] = (text),
static const char *const statements[ET_SQL_LENGTH] = {
#include "store/core/sql_rows.h"
};
#undef ROW

struct expansion {
	const struct et_dialect *dialect;
	char *sql;
	size_t len, room;
	int placeholders; /* the highest number so far */
};

static void add(struct expansion *x, const char *text, size_t len)
{
	if (x->len + len >= x->room) {
		x->room = 2 * (x->len + len) + 1;
		x->sql = et_realloc(x->sql, x->room, 1);
	}
	memcpy(x->sql + x->len, text, len);
	x->len += len;
	x->sql[x->len] = '\0';
}

static void add_text(struct expansion *x, const char *text)
{
	add(x, text, strlen(text));
}

static void add_placeholder(struct expansion *x, int number)
{
	char sign = x->dialect->placeholder == ET_PLACEHOLDER_DOLLAR ? '$' : '?', text[16];

	if (number > x->placeholders)
		x->placeholders = number;
	snprintf(text, sizeof(text), "%c%d", sign, number);
	add_text(x, text);
}

static void add_columns(struct expansion *x, const struct et_columns *columns, bool placeholders)
{
	const struct et_field *f = et_columns_next(columns, columns->fields);

	for (const char *comma = ""; f; comma = ", ") {
		add_text(x, comma);
		if (placeholders) {
			add_placeholder(x, x->placeholders + 1);
		} else {
			add_text(x, "\"");
			add_text(x, columns->prefix);
			add_text(x, f->name);
			add_text(x, "\"");
		}
		f = et_columns_next(columns, f + 1);
	}
}

static bool is_name(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !strncmp(name, text, len);
}

/* Expands the $NAME at the beginning of text; returns the text after it. */
static const char *add_name(struct expansion *x, const char *text)
{
	size_t len = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
	const char *end = text + 1 + len;

	for (size_t i = 0; i < ET_LENGTH(lists); i++) {
		if (is_name(lists[i]->name, text + 1, len)) {
			add_columns(x, lists[i], *end == '?');
			return end + (*end == '?');
		}
	}
	for (const struct et_sql_word *w = x->dialect->words; w && w->name; w++) {
		if (is_name(w->name, text + 1, len)) {
			add_text(x, w->text);
			return end;
		}
	}
	add(x, text, len + 1);
	return end;
}

/* Expands the ? or ?N at the beginning of text; returns the text after it. */
static const char *add_question(struct expansion *x, const char *text)
{
	size_t digits = strspn(text + 1, "0123456789");

	add_placeholder(x, digits ? (int)strtol(text + 1, NULL, 10) : x->placeholders + 1);
	return text + 1 + digits;
}

char *et_sql_expand(const char *text, const struct et_dialect *dialect)
{
	struct expansion x = { .dialect = dialect };

	add_text(&x, "");
	while (*text) {
		size_t plain = strcspn(text, "$?");

		add(&x, text, plain);
		text += plain;
		if (*text == '$')
			text = add_name(&x, text);
		else if (*text == '?')
			text = add_question(&x, text);
	}
	return x.sql;
}

char *et_sql_statement(enum et_sql which, const struct et_dialect *dialect)
{
	return et_sql_expand(statements[which], dialect);
}
