/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines about runs and checks of `etalon emp`, for experiments with known removals. */
#include "report/steps.h"
#include "base/base.h"
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

	et_steps_add_checks(&s, e, 6, "with another kernel");
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

/* Marks a sample and does not remove it. */
static void mark(struct et_experiment *e, size_t at, uint32_t marks)
{
	et_samples_edit(&e->commands[0].samples, at)->ruling.marks |= marks;
}

static void test_marks(void)
{
	struct et_experiment *e = measured(10, 0, 0);

	mark(e, 1, ET_MARK_DAEMON | ET_MARK_MACHINE_SLOW);
	mark(e, 2, ET_MARK_TWO_SIGMA);
	is_str(line(e, "check I"), "done: 0 of 10 samples removed, 3 daemons with a cutoff",
		"steps: a mark is no removal");
	is_str(line(e, "check II"), "done: 0 of 10 samples removed",
		"steps: marked samples are among those that check II looked at");
	e->plan.keep_all = true;
	is_str(line(e, "check I"),
		"done: 1 of 10 samples marked (--keep-all), 3 daemons with a cutoff",
		"steps: with --keep-all check I counts its marks");
	is_str(line(e, "check II"), "done: 1 of 9 samples marked (--keep-all)",
		"steps: with --keep-all check II counts its marks among those without check I's");
	et_experiment_free(e);
}

/* Makes the last n samples of a command, which have no removal, part of duets. */
static void pair(struct et_experiment *e, size_t n)
{
	struct et_samples *all = &e->commands[0].samples;

	for (size_t i = all->n - n; i < all->n; i++)
		et_samples_edit(all, i)->place.arrangement = ET_DUET;
}

static void test_duets(void)
{
	struct et_experiment *e = measured(10, 0, 0);

	pair(e, 10);
	is_str(line(e, "check II"), "skipped: duets are judged by their pairs",
		"steps: check II is skipped if all samples are of duets");
	et_experiment_free(e);
	e = measured(16, 2, 0);
	pair(e, 8);
	is_str(line(e, "check II"), "done: 0 of 6 samples removed",
		"steps: check II counts the samples that it looked at, not those of duets");
	et_experiment_free(e);
	e = measured(10, 0, 0);
	et_samples_edit(&e->commands[0].samples, 3)->ruling.removal.by = ET_REMOVED_FAILED;
	is_str(line(e, "check II"), "done: 0 of 9 samples removed",
		"steps: check II does not look at a failed run");
	et_experiment_free(e);
}

static void test_first_check(void)
{
	struct et_experiment *e = measured(10, 0, 0);

	e->first_check.state = ET_FIRST_CHECK_UNLEARNED;
	is_str(line(e, "check I"), "not possible: no daemons are learned on this machine",
		"steps: check I is not possible without a learning");
	e->first_check.state = ET_FIRST_CHECK_UNSEEN;
	is_str(line(e, "check I"), "not possible: the processes beside the runs could not be seen",
		"steps: check I is not possible if processes were not seen");
	e->first_check.state = ET_FIRST_CHECK_LENGTH;
	is_str(line(e, "check I"),
		"not possible: the learning had much shorter samples: run 'etalon daemons learn "
		"--long-seconds 8'",
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
	test_marks();
	test_duets();
	test_first_check();
	test_output();
	return tap_done();
}
