/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of etalon-lab: commands, and experiments with their options. */
#include "../walk.h"
#include "app/lab/experiments.h"
#include "tap.h"

static void test_lab(void)
{
	bool complete = true, single = true;
	unsigned known = 0;

	for (const struct et_option *o = et_lab_options; o->name; o++) {
		/* Each problem itself refuses the numbers that it does not take. */
		single = single && !(o->bit & (o->bit - 1)) &&
			 (o->bit == ET_LAB_PROBLEM || !(known & o->bit));
		known |= o->bit;
	}
	for (const struct et_action *x = et_lab_experiments + 1; x->name; x++)
		complete = complete && is_sentence(x->summary);
	ok(complete, "lab: every experiment has a summary");
	ok(single, "lab: no two options have the same bit, but those of the problems");
	ok(same(et_lab_experiments[0].name, "list"), "lab: the first action is list");
}

int main(void)
{
	test_commands();
	test_lab();
	return tap_done();
}
