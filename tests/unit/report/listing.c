/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of `etalon list` at several widths, and its JSON. */
#include "report/listing.h"
#include "tap.h"

#include <jansson.h>
#include <locale.h>

static const uint64_t S = 1000000000, DAY = 86400;
static const uint64_t NOON = UINT64_C(1794744000); /* 2026-11-15 12:00:00 UTC, a Sunday */

static struct et_summary summary_of(const char *label, const char *command)
{
	struct et_summary s = { .id = "20261115-085506-1f3a9c",
		.label = label,
		.started_wall_ns = (NOON - 3600) * S,
		.state = ET_STATE_DONE,
		.n_commands = 1,
		.n_samples = 10,
		.first_command = command };

	return s;
}

/* The table of n experiments as text; caller frees. */
static char *marked_table_of(
	const struct et_summary *s, size_t n, int width, const char *const *marks)
{
	struct et_listing l = { .now_wall_ns = NOON * S };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = width };

	for (size_t i = 0; i < n; i++)
		et_listing_add(&l, &s[i], marks ? marks[i] : "");
	et_listing_text(&l, &page);
	fclose(out);
	return text;
}

static char *table_of(const struct et_summary *s, size_t n, int width)
{
	return marked_table_of(s, n, width, NULL);
}

static void check_table(
	const struct et_summary *s, size_t n, int width, const char *want, const char *label)
{
	char *text = table_of(s, n, width);

	is_str(text, want, "%s", label);
	free(text);
}

static int widest_line(const char *text)
{
	int widest = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		char *one = strndup(line, strcspn(line, "\n"));
		int columns = et_columns(one);
		widest = columns > widest ? columns : widest;
		free(one);
	}
	return widest;
}

static void test_contents(void)
{
	struct et_summary s[3] = { summary_of("fast", "sleep 0.1"), summary_of(NULL, "true"),
		summary_of(NULL, "false") };

	s[0].n_commands = 3;
	s[1].started_wall_ns = (NOON - 3 * DAY) * S;
	s[1].state = ET_STATE_INTERRUPTED;
	s[2].started_wall_ns = (NOON - 400 * DAY) * S;
	s[2].n_samples = 12345678;
	s[0].mean_ns = 100.2e6;
	s[1].mean_ns = 812345;
	check_table(s, 0, 80, "", "listing: an empty list prints nothing");
	check_table(s, 3, 100,
		"ID                      STARTED       STATE         SAMPLES    TIME  LABEL  "
		"COMMAND\n"
		"20261115-085506-1f3a9c  11:00:00      done               10  100 ms  fast   sleep "
		"0.1 (+2)\n"
		"20261115-085506-1f3a9c  Nov 12 12:00  interrupted        10  812 µs         "
		"true\n"
		"20261115-085506-1f3a9c  2025-10-11    done         12345678                 "
		"false\n",
		"listing: a wide table has every column, and dates get coarser with age");
	s[1].mean_ns = 0;
	check_table(s + 1, 1, 100,
		"ID                      STARTED       STATE        SAMPLES  COMMAND\n"
		"20261115-085506-1f3a9c  Nov 12 12:00  interrupted       10  true\n",
		"listing: without labels there is no column for them");
}

static void test_widths(void)
{
	struct et_summary s = summary_of("a label that is much longer than the others",
		"sort --parallel=2 --buffer-size=1M /usr/share/dict/words");
	bool fits = true;

	check_table(&s, 1, 60,
		"ID                      STATE  SAMPLES  LABEL      COMMAND\n"
		"20261115-085506-1f3a9c  done        10  a la…hers  sort…ords\n",
		"listing: a narrow table omits the start and shortens label and command");
	check_table(&s, 1, 40,
		"ID                      LABEL    COMMAND\n"
		"20261115-085506-1f3a9c  a l…ers  sor…rds\n",
		"listing: 40 columns leave the id, the label and the command");
	s.mean_ns = 1e9;
	check_table(&s, 1, 60,
		"ID                      STATE  SAMPLES  LABEL      COMMAND\n"
		"20261115-085506-1f3a9c  done        10  a la…hers  sort…ords\n",
		"listing: the time is omitted before a name is shortened");
	s.state = ET_STATE_INTERRUPTED;
	for (int width = 45; width < 200; width++) {
		char *text = table_of(&s, 1, width);
		fits = fits && widest_line(text) <= width;
		free(text);
	}
	ok(fits, "listing: no line is wider than a page of 45 columns or more");
	s.label = "中文标签";
	s.first_command = "读取";
	check_table(&s, 1, 80,
		"ID                      STARTED   STATE        SAMPLES  LABEL     COMMAND\n"
		"20261115-085506-1f3a9c  11:00:00  interrupted       10  中文标签  读取\n",
		"listing: a wide character counts two columns");
}

static void test_hostile_names(void)
{
	struct et_summary s = summary_of("\033[31mred", "printf '\a\r\n' \xff");
	char *text;

	snprintf(s.id, sizeof(s.id), "\033]0;x\a");
	text = table_of(&s, 1, 80);
	is_str(strchr(text, '\n') + 1,
		"␛]0;x␇  11:00:00  done        10  ␛[31mred  printf '␇␍␊' \xef\xbf\xbd\n",
		"listing: control characters of id, label and command are shown, not obeyed");
	free(text);
}

static json_t *json_of(const struct et_summary *s, size_t n)
{
	struct et_json w;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_json_init(&w, out, 2);
	et_json_array(&w, NULL);
	for (size_t i = 0; i < n; i++)
		et_listing_json(&s[i], &w);
	et_json_end(&w);
	fclose(out);
	json_t *root = json_loads(text, 0, NULL);
	free(text);
	return root;
}

static void test_marks(void)
{
	static const char *const marks[] = { "[p] ", "[doe] " };
	struct et_summary s[2] = { summary_of(NULL, "a"), summary_of(NULL, "b") };

	s[1].n_commands = 3;
	char *text = marked_table_of(s, 2, 100, marks);
	ok(strstr(text, "  [p] a") && strstr(text, "  [doe] b (+2)"),
		"listing: the mark of a kind is before the command");
	free(text);
}

static void test_json(void)
{
	struct et_summary s[2] = { summary_of("\033[31m\"red\"", "a\\b\n"), summary_of(NULL, "") };

	s[1].profile = true;
	json_t *root = json_of(s, 2), *none = json_of(s, 0);
	const json_t *first = json_array_get(root, 0);

	ok(json_is_array(none) && !json_array_size(none), "listing: an empty list is []");
	ok(json_array_size(root) == 2, "listing: JSON has one object per experiment");
	is_str(json_string_value(json_object_get(first, "label")), s[0].label,
		"listing: JSON keeps a label with escape sequences and quotes as it is");
	is_str(json_string_value(json_object_get(first, "command")), s[0].first_command,
		"listing: JSON keeps a command with a backslash and a line feed as it is");
	is_str(json_string_value(json_object_get(first, "started")), "2026-11-15T11:00:00Z",
		"listing: JSON gives the start in UTC");
	is_str(json_string_value(json_object_get(first, "state")), "done",
		"listing: JSON gives the state by name");
	ok(json_integer_value(json_object_get(first, "samples")) == 10 &&
			json_integer_value(json_object_get(first, "commands")) == 1,
		"listing: JSON counts samples and commands");
	ok(json_is_null(json_object_get(json_array_get(root, 1), "label")),
		"listing: a missing label is null in JSON");
	ok(json_is_false(json_object_get(first, "profile")) &&
			json_is_true(json_object_get(json_array_get(root, 1), "profile")),
		"listing: JSON says which experiments are profiles");
	json_decref(root);
	json_decref(none);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	test_contents();
	test_widths();
	test_hostile_names();
	test_marks();
	test_json();
	return tap_done();
}
