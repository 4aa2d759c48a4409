/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The template of an experiment of the lab: its figures, its two outputs, and its early end. */
#include "app/lab/experiments.h"
#include "base/base.h"
#include "base/memstream.h"
#include "tap.h"

#include <jansson.h>

extern const struct et_lab et_lab_skeleton;

static struct et_interrupt interrupt;

/* Performs the experiment; the caller frees what it printed. */
static char *perform(unsigned given, uint32_t repetitions)
{
	struct et_lab_request r = { .name = "skeleton",
		.given = given,
		.simulation = { .seed = 1, .repetitions = repetitions },
		.interrupt = &interrupt };
	struct et_error err = { 0 };
	char *text = NULL;
	size_t size = 0;

	r.page = (struct et_page){ .out = open_memstream(&text, &size), .width = 80 };
	ok(et_lab_perform(&r, &et_lab_skeleton, &err) == 0, "skeleton: %u repetitions succeed",
		repetitions);
	fclose(r.page.out);
	return text;
}

/*
 * The exact coverage: the sum of the binomial probabilities of all outcomes whose interval contains
 * the share. The standard error of 2000 repetitions is 0.006.
 */
static void coverage(const char *text)
{
	json_t *json = json_loads(text, 0, NULL), *row;
	static const double truth[] = { 0.92440, 0.92979, 0.93719, 0.94942 };
	size_t i;

	ok(json, "skeleton: its JSON can be parsed");
	json_t *rows = json_object_get(json_object_get(json, "cases"), "rows");
	ok(json_array_size(rows) == 4, "skeleton: its JSON has a row per number of throws");
	json_array_foreach(rows, i, row) near(json_real_value(json_object_get(row, "covered")),
		truth[i], 0, 0.025, "skeleton: coverage at %d throws",
		(int)json_integer_value(json_object_get(row, "throws")));
	json_decref(json);
}

int main(void)
{
	ET_AUTO_FREE char *text = perform(0, 100);
	ET_AUTO_FREE char *json = perform(ET_LAB_JSON, 2000), *again = perform(ET_LAB_JSON, 2000);

	ok(strstr(text, "throws") && strstr(text, "300"), "skeleton: its text has a table");
	coverage(json);
	is_str(again, json, "skeleton: a seed gives the same result again");
	interrupt.signal = 2;
	ET_AUTO_FREE char *early = perform(ET_LAB_JSON, 2000);
	ok(strstr(early, "\"repetitions\": 1,") && strstr(early, "\"covered\": null"),
		"skeleton: after a signal, cases that were not reached are unknown");
	return tap_done();
}
