/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon list`: what is kept, the newest first, fitted to the width of the terminal. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "cmd/cli.h"
#include "report/terminal.h"
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>

enum { GAP = 2, LEAST_COMMAND = 16, LEAST_LABEL = 5 };

struct config {
	bool json;
	uint64_t limit;
};

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of a table", et_set_true, ET_FILLS(config, json) },
	{ 'n', "limit", "N", "only the newest N (all)", et_set_u64, ET_FILLS(config, limit),
		.lo = 1, .hi = INT64_MAX },
	{ 0 },
};

/* One line of the table, its texts made fit for a terminal. */
struct row {
	char id[40];
	char started[24];
	const char *state;
	char samples[24];
	char *label, *command;
};

struct listing {
	struct et_json *json; /* or NULL: rows are gathered */
	struct row *rows;
	size_t n, room;
	uint64_t now_ns;
};

/* Short, in the user's own time: today's clock, this year's day, else the date. */
static void format_started(uint64_t wall_ns, uint64_t now_ns, char buf[24])
{
	time_t then = (time_t)(wall_ns / 1000000000u), now = (time_t)(now_ns / 1000000000u);
	struct tm a, b;
	const char *format = "%Y-%m-%d";

	localtime_r(&then, &a);
	localtime_r(&now, &b);
	if (a.tm_year == b.tm_year)
		format = a.tm_yday == b.tm_yday ? "%H:%M:%S" : "%b %e %H:%M";
	if (!strftime(buf, 24, format, &a))
		buf[0] = '\0';
}

static void write_entry(struct et_json *j, const struct et_store_entry *entry)
{
	char buf[32];

	et_json_flat_object(j, NULL);
	et_json_string(j, "id", entry->id);
	et_json_string(j, "label", entry->label);
	et_json_string(j, "started", et_format_rfc3339(entry->started_wall_ns, buf));
	et_json_string(j, "state", et_state_names[entry->state]);
	et_json_u64(j, "samples", entry->n_samples);
	et_json_u64(j, "commands", entry->n_commands);
	et_json_string(j, "command", entry->first_command);
	et_json_end(j);
}

static int take_entry(void *ctx, const struct et_store_entry *entry)
{
	struct listing *l = ctx;

	if (l->json) {
		write_entry(l->json, entry);
		return 0;
	}
	ET_GROW(l->rows, l->n, l->room);
	struct row *row = &l->rows[l->n++];
	ET_AUTO_FREE char *command = entry->n_commands > 1
					     ? et_asprintf("%s (+%" PRIu32 ")",
						       entry->first_command, entry->n_commands - 1)
					     : et_strdup(entry->first_command);
	ET_AUTO_FREE char *id = et_clean(entry->id, "");
	snprintf(row->id, sizeof(row->id), "%s", id);
	format_started(entry->started_wall_ns, l->now_ns, row->started);
	row->state = et_state_names[entry->state];
	snprintf(row->samples, sizeof(row->samples), "%" PRIu64, entry->n_samples);
	row->label = et_clean(entry->label ? entry->label : "", "");
	row->command = et_clean(command, "");
	return 0;
}

struct widths {
	int id, started, state, samples, label, command;
};

static int wider(int width, const char *text)
{
	int columns = et_columns(text);

	return columns > width ? columns : width;
}

static struct widths measure(const struct listing *l, int columns)
{
	struct widths w = { .started = 7, .state = 5, .samples = 7 }; /* as wide as the heading */

	for (size_t i = 0; i < l->n; i++) {
		w.id = wider(w.id, l->rows[i].id);
		w.started = wider(w.started, l->rows[i].started);
		w.state = wider(w.state, l->rows[i].state);
		w.samples = wider(w.samples, l->rows[i].samples);
		w.label = wider(w.label, l->rows[i].label);
		w.command = wider(w.command, l->rows[i].command);
	}
	int rest = columns - w.id - w.state - 2 * GAP;
	if (rest - w.samples - GAP < LEAST_COMMAND / 2)
		w.samples = 0;
	else
		rest -= w.samples + GAP;
	if (rest - w.started - GAP < LEAST_COMMAND)
		w.started = 0; /* the id tells it, too */
	else
		rest -= w.started + GAP;
	/* The label gets what the command leaves, and half of the rest at least. */
	int half = rest / 2 > LEAST_COMMAND / 2 ? rest / 2 : LEAST_COMMAND / 2;
	int room = rest - GAP - (w.command < half ? w.command : half);
	if (w.label > room)
		w.label = room < LEAST_LABEL ? 0 : room;
	else if (w.label && w.label < LEAST_LABEL)
		w.label = LEAST_LABEL;
	w.command = rest - (w.label ? w.label + GAP : 0);
	if (w.command < LEAST_COMMAND / 2)
		w.command = LEAST_COMMAND / 2;
	return w;
}

static void print_cell(const char *text, int width, bool right)
{
	ET_AUTO_FREE char *fitted = et_shorten(text, width);
	int pad = width - et_columns(fitted);

	if (!width)
		return;
	printf("%*s%s%*s", right ? pad : 0, "", fitted, (right ? 0 : pad) + GAP, "");
}

static void print_row(const struct row *row, const struct widths *w)
{
	print_cell(row->id, w->id, false);
	print_cell(row->started, w->started, false);
	print_cell(row->state, w->state, false);
	print_cell(row->samples, w->samples, true);
	print_cell(row->label, w->label, false);
	ET_AUTO_FREE char *command = et_shorten(row->command, w->command);
	printf("%s\n", command);
}

static void print_table(struct listing *l, int columns)
{
	static const struct row head = { "ID", "STARTED", "STATE", "SAMPLES", (char *)"LABEL",
		(char *)"COMMAND" };
	struct widths w = measure(l, columns);

	print_row(&head, &w);
	for (size_t i = 0; i < l->n; i++) {
		print_row(&l->rows[i], &w);
		free(l->rows[i].label);
		free(l->rows[i].command);
	}
	free(l->rows);
}

static int list(const struct et_cli *cli, const struct config *config, struct et_error *err)
{
	struct listing l = { .now_ns = et_clock_read_ns(CLOCK_REALTIME) };
	struct et_store *store = NULL;
	struct et_json json;
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	int rc = et_store_open(url, ET_STORE_READ, &store, err);

	if (rc && rc != -ENOENT)
		return rc;
	if (config->json) {
		et_json_init(&json, stdout, 2);
		et_json_array(&json, NULL);
		l.json = &json;
	}
	rc = store ? et_store_list(store, config->limit, take_entry, &l, err) : 0;
	et_store_close(store);
	if (config->json)
		et_json_end(&json);
	else if (l.n)
		print_table(&l, cli->columns);
	else if (!rc && cli->verbosity >= 0)
		fprintf(stderr,
			"nothing kept yet in %s\nhint: etalon run 'sleep 0.1' measures and keeps\n",
			url);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_list = {
	.name = "list",
	.summary = "list the kept experiments, the newest first",
	.usage = "[options]",
	.about = "SAMPLES counts without warm-up. An experiment that is 'running' may also have\n"
		 "been killed; etalon run --resume ID goes on with it.",
	.examples = "  etalon list\n  etalon list -n 5\n  etalon list --json\n",
	.options = options,
	.uses_store = true,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct config config = { 0 };
	struct et_error err;
	int rc, status = et_cli_parse(cli, &et_verb_list, argc, argv, &config, &ops);

	if (status >= 0)
		return status;
	if (ops.n_before || ops.n_after)
		rc = et_hint(&err, et_fail(&err, EINVAL, ET_EXIT_USAGE, "list takes no operands"),
			"etalon show ID shows one experiment");
	else
		rc = list(cli, &config, &err);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
