/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The status of a designed experiment, as text and as JSON. */
#include "app/doe/view.h"
#include "base/base.h"
#include "base/memstream.h"
#include "base/parse.h"
#include "tap.h"

#include <jansson.h>
#include <stdlib.h>

/* One factor of two levels, two programs, 1 discarded and 2 counted runs. */
static struct et_experiment *example(void)
{
	struct et_experiment *e = et_experiment_new();
	struct et_design *d = e->design = et_design_new();
	struct et_design_factor *f = et_design_add_factor(d, "pad");

	strcpy(e->id, "20251115-085506-abcdef");
	d->name = et_strdup("plan");
	f->kind = ET_KIND_ENVIRONMENT_SIZE;
	f->levels = et_strv_of("0", "512", NULL);
	f->n_levels = 2;
	et_design_add_program(d, "cg");
	et_design_add_program(d, "a longer name");
	et_design_add_treatment(d, (const uint32_t[]){ 0 });
	et_design_add_treatment(d, (const uint32_t[]){ 1 });
	e->plan.warmup = 1;
	e->plan.runs = 2;
	e->started_wall_ns = 1763196906000000000u; /* 2025-11-15 08:55:06 */
	e->finished_wall_ns = e->started_wall_ns + 60000000000u;
	for (int i = 0; i < 4; i++)
		et_experiment_add_command(e,
			et_asprintf("%s %s", d->programs[i % 2].name, d->treatments[i / 2].name),
			et_strv_of("true", NULL));
	return e;
}

static void add(struct et_experiment *e, uint32_t command, bool warmup, int status, int signal)
{
	static uint32_t order;
	struct et_sample s = { 0 };

	s.place.command = command;
	s.place.order = ++order;
	s.place.warmup = warmup;
	s.place.partner = -1;
	s.measured.elapsed_ns = 60000000000;
	s.measured.started_wall_ns = 1763196906000000000u + order * 60000000000u;
	s.measured.exit_code = status;
	s.measured.signal = signal;
	if (status || signal)
		s.ruling.removal.by = ET_REMOVED_FAILED;
	et_experiment_add(e, &s);
}

static char *text_of(const struct et_experiment *e, bool running, int width)
{
	struct et_design_progress p;
	struct et_memstream m;
	struct et_page page = { .out = et_memstream_open(&m), .width = width };
	struct et_doe_state s = { e, &p, running, "etalon doe run plan.yaml" };

	et_design_progress_read(e, &p);
	et_doe_status_text(&s, &page);
	et_design_progress_free(&p);
	return et_memstream_close(&m);
}

static void has_text(const char *text, const char *part, const char *label)
{
	ok(strstr(text, part) != NULL, "%s", label);
	if (!strstr(text, part))
		printf("# %s\n", text);
}

static void texts(void)
{
	struct et_experiment *e = example();

	e->state = ET_STATE_INTERRUPTED;
	for (uint32_t c = 0; c < 4; c++)
		add(e, c, true, c == 1 ? 3 : 0, c == 2 ? 11 : 0);
	add(e, 0, false, 0, 0);
	ET_AUTO_FREE char *text = text_of(e, false, 80);
	/* Missing: one run of the first cell, two of the last, each of a minute. */
	is_str(text,
		"3 of 12 runs are done, about 3 min left; begun 2025-11-15 08:55:06, interrupted\n"
		"2025-11-15 08:56:06; 2 of 4 failed\n"
		"hint: run 'etalon doe run plan.yaml' to continue\n\n"
		"treatment      cg  a longer name\n"
		"pad=0         2/3         failed\n"
		"pad=512    failed            1/3\n"
		"  failed: a longer name pad=0: exit status 3\n"
		"  failed: cg pad=512: signal 11 (Segmentation fault)\n",
		"status: the text has the runs, the time left and the failures");
	e->state = ET_STATE_RUNNING;
	ET_AUTO_FREE char *killed = text_of(e, false, 80);
	has_text(killed, "left; begun 2025-11-15 08:55:06, then killed;",
		"status: an experiment without a process was killed");
	ET_AUTO_FREE char *running = text_of(e, true, 80);
	has_text(running, "left; running since 2025-11-15 08:55:06;",
		"status: an experiment with a process is running");
	ok(!strstr(running, "hint:"), "status: a running experiment need not be continued");
	et_experiment_free(e);
}

static void json(void)
{
	struct et_experiment *e = example();
	struct et_design_progress p;
	struct et_memstream m;
	struct et_json w;
	struct et_doe_state s = { e, &p, false, NULL };

	e->state = ET_STATE_RUNNING;
	add(e, 1, true, 127, 0);
	et_design_progress_read(e, &p);
	et_json_init(&w, et_memstream_open(&m), 2);
	et_doe_status_json(&s, &w);
	et_design_progress_free(&p);
	ET_AUTO_FREE char *text = et_memstream_close(&m);
	json_t *root = json_loads(text, 0, NULL);
	const json_t *cells = json_object_get(root, "cells"), *cell = json_array_get(cells, 1);
	is_str(json_string_value(json_object_get(root, "state")), "killed",
		"status: JSON has the state killed");
	ok(json_integer_value(json_object_get(root, "runs")) == 12 &&
			json_integer_value(json_object_get(root, "runs_done")) == 0 &&
			json_is_null(json_object_get(root, "seconds_left")) &&
			json_array_size(cells) == 4,
		"status: JSON has the numbers of runs; the time left is not known yet");
	is_str(json_string_value(json_object_get(cell, "last_error")),
		"exit status 127: it could not be executed", "status: JSON has the last error");
	json_decref(root);
	et_experiment_free(e);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	texts();
	json();
	return tap_done();
}
