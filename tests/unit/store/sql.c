/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of statements: column lists, placeholders of both styles, words of a dialect. */
#include "store/core/sql.h"
#include "base/base.h"
#include "store/core/backend.h"
#include "tap.h"

#include <ctype.h>

static const struct et_sql_word words[] = { { "key", "BIGINT PRIMARY KEY" }, { "int", "BIGINT" },
	{ "real", "DOUBLE PRECISION" }, { "blob", "BYTEA" }, { "text", "TEXT" }, { "table", "" },
	{ "table_by_key", "" }, { "many", "" }, { "me", "CURRENT_USER" },
	{ "lock_row", "FOR UPDATE" }, { "soon", "9" }, { 0 } };
static const struct et_dialect question = { ET_PLACEHOLDER_QUESTION, NULL };
static const struct et_dialect dollar = { ET_PLACEHOLDER_DOLLAR, words };

static void expands(
	const struct et_dialect *dialect, const char *text, const char *want, const char *label)
{
	ET_AUTO_FREE char *sql = et_sql_expand(text, dialect);

	is_str(sql, want, "%s", label);
}

static void placeholders(void)
{
	expands(&question, "a = ? AND b = ?", "a = ?1 AND b = ?2",
		"question marks: placeholders are numbered");
	expands(&dollar, "a = ? AND b = ?", "a = $1 AND b = $2",
		"dollars: placeholders are numbered");
	expands(&question, "?2 ?1 ?2 ?", "?2 ?1 ?2 ?3",
		"question marks: an explicit number is kept, the next one follows the highest");
	expands(&dollar, "?2 ?1 ?2 ?", "$2 $1 $2 $3",
		"dollars: an explicit number is kept, the next one follows the highest");
	expands(&dollar, "?12, ?", "$12, $13", "dollars: a number has several digits");
	expands(&dollar, "", "", "sql: an empty text stays empty");
}

static void columns(void)
{
	expands(&question, "($factor) VALUES (?, $factor?)",
		"(\"factor\", \"state\", \"wanted\", \"ok\") VALUES (?1, ?2, ?3, ?4, ?5)",
		"question marks: a list has as many placeholders as columns");
	expands(&dollar, "($factor) VALUES (?, $factor?, ?)",
		"(\"factor\", \"state\", \"wanted\", \"ok\") VALUES ($1, $2, $3, $4, $5, $6)",
		"dollars: a list has as many placeholders as columns");
	expands(&question, "$culprit",
		"\"pid\", \"kernel_thread\", \"exited\", \"pt_ns\", \"doubt_ns\","
		" \"on_our_cpu_ns\"",
		"columns: the name of a culprit is not among them");
	expands(&question, "$culprit?", "?1, ?2, ?3, ?4, ?5, ?6",
		"columns: the name of a culprit has no placeholder");
	expands(&question, "$child?", "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11",
		"columns: a list at the end of the text is expanded");
	ET_AUTO_FREE char *removal = et_sql_expand("$removal", &question);
	ok(!strncmp(removal, "\"removed_by\", ", 14),
		"columns: they have the prefix of their list");
}

static void dialect_words(void)
{
	expands(&dollar, "a $int, b $real", "a BIGINT, b DOUBLE PRECISION",
		"dialect: a word is replaced");
	expands(&dollar, "$table_by_key$table.", ".",
		"dialect: a word may be replaced by an empty text");
	expands(&question, "a $int $samples", "a $int $samples",
		"dialect: an unknown name is left for the database to report");
}

/* Returns the number n of placeholders if $1 to $n are all there and no $NAME is left, or -1. */
static int count_placeholders(const char *sql, char sign)
{
	bool seen[100] = { false };
	int n = 0;

	for (const char *p = sql; (p = strpbrk(p, "$?")); p++) {
		int number = isdigit((unsigned char)p[1]) ? atoi(p + 1) : 0;
		if (*p != sign || number < 1 || number >= 100)
			return -1;
		seen[number] = true;
		n = number > n ? number : n;
	}
	for (int i = 1; i <= n; i++) {
		if (!seen[i])
			return -1;
	}
	return n;
}

static void all_statements(void)
{
	const struct et_dialect marks = { ET_PLACEHOLDER_QUESTION, words };
	int bad = 0;

	for (int i = 0; i < ET_SQL_LENGTH; i++) {
		ET_AUTO_FREE char *a = et_sql_statement((enum et_sql)i, &marks);
		ET_AUTO_FREE char *b = et_sql_statement((enum et_sql)i, &dollar);
		int n = count_placeholders(a, '?');

		if (n < 0 || n != count_placeholders(b, '$')) {
			printf("# statement %d: %s\n", i, b);
			bad++;
		}
	}
	ok(!bad, "statements: all have the same placeholders in both styles");
	for (int i = 0; i < et_store_schema.version; i++) {
		const char *step = et_store_schema.steps[i];
		ET_AUTO_FREE char *sql = et_sql_expand(step, &dollar);
		ok(!strchr(sql, '$') && !strstr(step, " $int") == !strstr(sql, " BIGINT"),
			"schema: step %d uses only words that a dialect has", i + 1);
	}
}

int main(void)
{
	placeholders();
	columns();
	dialect_words();
	all_statements();
	return tap_done();
}
