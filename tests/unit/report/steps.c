/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines about runs and checks of `etalon emp`, for experiments with known removals. */
#include "report/steps.h"
#include "base/alloc.h"
#include "base/memstream.h"
#include "base/parse.h"
#include "sample_of.h"
#include "tap.h"

#include <string.h>

/* A warm-up run and n samples of a command; the first `hit` and the last `far` are removed. */
static struct et_experiment *measured(size_t n, size_t hit, size_t far)
{
	struct et_experiment *e = et_experiment_new();

	e->state = ET_STATE_DONE;
	e->protocol = ET_PROTOCOL_EMP;
	e->first_check = (struct et_first_check){ .state = ET_FIRST_CHECK_DONE, .cutoffs = 3 };
	et_experiment_add_command(e, et_strdup("x"), et_strv_of("x", NULL));
	for (size_t i = 0; i <= n; i++) {
		struct et_sample s = { .place = { .arrangement = ET_SOLO, .warmup = i == 0 } };
		if (i && i <= hit)
			s.ruling.removal.by = ET_REMOVED_DAEMON_CUTOFF;
		else if (i > n - far)
			s.ruling.removal.by = ET_REMOVED_TWO_SIGMA;
		et_experiment_add(e, &s);
	}
	return e;
}

/* "done: note" of the step of that name; "" if there is none. */
static const char *line(const struct et_experiment *e, const char *name)
{
	static char text[256];
	struct et_steps s = { 0 };

	et_steps_add_checks(&s, e, 6);
	text[0] = '\0';
	for (size_t i = 0; i < s.n; i++) {
		if (!strcmp(s.list[i].name, name))
			snprintf(text, sizeof(text), "%s: %s", et_step_state_names[s.list[i].state],
				s.list[i].note);
	}
	et_steps_free(&s);
	return text;
}

static void test_counts(void)
{
	struct et_experiment *e = measured(10, 2, 1);

	is_str(line(e, "runs"), "done: 10 samples, 1 warm-up run", "steps: the runs are counted");
	is_str(line(e, "check I"), "done: 2 of 10 samples removed, 3 daemons with a cutoff",
		"steps: check I counts its removals among all samples");
	is_str(line(e, "check II"), "done: 1 of 8 samples removed",
		"steps: check II counts its removals among those that check I left");
	is_str(line(e, "machine"), "", "steps: no line about the machine if it was not slow");
	e->state = ET_STATE_INTERRUPTED;
	is_str(line(e, "runs"), "interrupted: 10 samples, 1 warm-up run",
		"steps: interrupted runs are called so");
	et_experiment_free(e);
	e = measured(10, 5, 0);
	is_str(line(e, "check II"), "not possible: 5 samples are left, and it needs 6",
		"steps: check II is not possible with five samples left");
	et_experiment_free(e);
	e = measured(1, 0, 0);
	is_str(line(e, "runs"), "done: 1 sample, 1 warm-up run", "steps: one sample is singular");
	is_str(line(e, "check II"), "not possible: 1 sample is left, and it needs 6",
		"steps: one sample that is left is singular");
	et_experiment_free(e);
}

static void test_slow(void)
{
	struct et_experiment *e = measured(10, 0, 0);

	ET_AUTO_FREE struct et_sample *s = et_calloc(1, sizeof(*s));
	s->place.arrangement = ET_SOLO;
	s->ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	et_experiment_add(e, s);
	is_str(line(e, "machine"),
		"done: 1 of 11 samples removed because the machine was slow, which is no part of "
		"EMP",
		"steps: samples of a slow machine have a line of their own");
	is_str(line(e, "check II"), "done: 0 of 10 samples removed",
		"steps: check II does not look at samples of a slow machine");
	et_experiment_free(e);
}

static void test_first_check(void)
{
	struct et_experiment *e = measured(10, 0, 0);

	e->first_check.state = ET_FIRST_CHECK_UNLEARNED;
	is_str(line(e, "check I"), "not possible: no daemons are learned on this machine",
		"steps: check I is not possible without a learning");
	e->first_check.state = ET_FIRST_CHECK_LENGTH;
	is_str(line(e, "check I"),
		"not possible: a program takes much longer than the samples that daemons were "
		"learned with",
		"steps: check I is not possible for a long program");
	e->first_check.state = ET_FIRST_CHECK_WITHDRAWN;
	e->first_check.would_remove = 8;
	is_str(line(e, "check I"), "skipped: it would have removed 8 of 10 samples",
		"steps: a check I that was withdrawn is skipped");
	et_experiment_free(e);
}

static void test_output(void)
{
	struct et_steps s = { 0 };
	struct et_memstream stream;
	struct et_json w;

	et_steps_add(&s, "environment", ET_STEP_NOT_POSSIBLE, et_strdup("it needs root"));
	et_steps_add(&s, "check I", ET_STEP_PLANNED, et_strdup(""));
	struct et_page page = { .out = et_memstream_open(&stream), .width = 40 };
	et_steps_print(&s, &page);
	ET_AUTO_FREE char *text = et_memstream_close(&stream);
	is_str(text,
		"  environment   not possible: it needs\n"
		"                root\n"
		"  check I       planned\n",
		"steps: the text has a line per step, wrapped at its column");
	et_json_init(&w, et_memstream_open(&stream), 0);
	et_json_object(&w, NULL);
	et_steps_json(&s, &w);
	et_json_end(&w);
	ET_AUTO_FREE char *json = et_memstream_close(&stream);
	ok(strstr(json, "\"emp\"") && strstr(json, "\"state\":\"not possible\"") &&
			strstr(json, "\"note\":\"it needs root\""),
		"steps: JSON has step, state and note");
	et_steps_free(&s);
}

int main(void)
{
	test_counts();
	test_slow();
	test_first_check();
	test_output();
	return tap_done();
}
