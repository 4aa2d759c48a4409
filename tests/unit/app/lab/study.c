/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a study of versions of EMP: its lengths, its blocks, and whether a part belongs to
 * it. */
#include "app/lab/versions.h"
#include "base/base.h"
#include "tap.h"

#define S UINT64_C(1000000000)

static void groups(void)
{
	struct et_study_group g[ET_STUDY_GROUPS] = { 0 };
	struct et_lab_request r = { 0 };

	ok(et_study_groups(&r, g) == 1 && g[0].n == 4 && g[0].runs == 40 && !g[0].last_only,
		"groups: by default 40 runs of four lengths");
	ok(g[0].lengths_ns[0] == S && g[0].lengths_ns[3] == 8 * S, "groups: 1 to 8 s");
	r.measure.runs = 12;
	r.measure.lengths_ns.n = 2;
	r.measure.lengths_ns.numbers[0] = 10000000;
	r.measure.lengths_ns.numbers[1] = 20000000;
	ok(et_study_groups(&r, g) == 1 && g[0].n == 2 && g[0].runs == 12 &&
			g[0].lengths_ns[1] == 20000000,
		"groups: lengths and runs as given");
	r.given = ET_LAB_PRESET;
	ok(et_study_groups(&r, g) == 4, "groups: the papers have four");
	size_t lengths = 0;
	uint64_t next_ns = S;
	bool doubled = true;
	for (unsigned i = 0; i < ET_STUDY_GROUPS; i++) {
		for (size_t k = 0; k < g[i].n; k++, next_ns *= 2)
			doubled = doubled && g[i].lengths_ns[k] == next_ns;
		lengths += g[i].n;
	}
	ok(lengths == 15 && doubled, "groups: together the lengths 2^0 to 2^14 s");
	ok(!g[0].last_only && g[1].last_only && g[3].last_only && g[3].runs == 40,
		"groups: those above 8 s in the last environment only");
}

static void blocks(void)
{
	static const struct {
		uint64_t length_ns;
		uint32_t runs, want; /* computed by hand */
		const char *label;
	} table[] = {
		{ S, 40, 4, "a tenth of 40 rounds" },
		{ S, 41, 5, "a tenth of 41 rounds is rounded up" },
		{ S, 1, 1, "one round" },
		{ 100 * S, 1000, 6, "six rounds of 100 s fit into ten minutes" },
		{ 601 * S, 1000, 1, "a round that is longer than ten minutes is a block" },
		{ 600 * S, 1000, 1, "a round of ten minutes" },
		{ 0, 40, 4, "rounds of no length" },
	};

	for (size_t i = 0; i < ET_LENGTH(table); i++) {
		struct et_study_group g = { .n = 1, .runs = table[i].runs };
		g.lengths_ns[0] = table[i].length_ns;
		ok(et_study_block(&g) == table[i].want, "block: %s", table[i].label);
	}
	struct et_study_group g = { .n = 2, .runs = 1000 };
	g.lengths_ns[0] = 100 * S;
	g.lengths_ns[1] = 200 * S;
	ok(et_study_block(&g) == 2, "block: a round has all lengths");
}

static void parts(void)
{
	struct et_study_group g = { .n = 2, .runs = 12 };
	struct et_command commands[2] = { { .name = (char *)"INC0.01" },
		{ .name = (char *)"INC8" } };
	struct et_experiment e = { .commands = commands, .n_commands = 2, .plan = { .runs = 12 } };

	g.lengths_ns[0] = 10000000;
	g.lengths_ns[1] = 8 * S;
	ET_AUTO_FREE char *task = et_lab_task(16384 * S), *small = et_lab_task(1500000);
	is_str(task, "INC16384", "part: the name of a task has its seconds");
	is_str(small, "INC0.0015", "part: also of a short one");
	ok(et_study_group_is(&g, &e), "part: the same lengths and runs");
	e.plan.runs = 13;
	ok(!et_study_group_is(&g, &e), "part: another number of runs is another study");
	e.plan.runs = 12;
	e.n_commands = 1;
	ok(!et_study_group_is(&g, &e), "part: fewer lengths are another study");
	e.n_commands = 2;
	g.lengths_ns[1] = 4 * S;
	ok(!et_study_group_is(&g, &e), "part: other lengths are another study");
}

int main(void)
{
	groups();
	blocks();
	parts();
	return tap_done();
}
