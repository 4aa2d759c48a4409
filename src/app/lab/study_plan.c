/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lengths and numbers of runs of a study, as the user gave them or as the papers have them. */
#include "app/lab/study.h"
#include "base/alloc.h"

#include <string.h>

#define S 1000000000ull

const char *const et_lab_presets[] = { "paper", NULL };

static const struct et_study_group paper[ET_STUDY_GROUPS] = {
	{ { 1 * S, 2 * S, 4 * S, 8 * S }, 4, 1000, false },
	{ { 16 * S, 32 * S, 64 * S }, 3, 1000, true },
	{ { 128 * S, 256 * S, 512 * S, 1024 * S, 2048 * S, 4096 * S }, 6, 300, true },
	{ { 8192 * S, 16384 * S }, 2, 40, true },
};

unsigned et_study_groups(
	const struct et_lab_request *r, struct et_study_group groups[ET_STUDY_GROUPS])
{
	static const uint64_t usual_ns[] = { 1 * S, 2 * S, 4 * S, 8 * S };
	const struct et_lab_measure *m = &r->measure;
	struct et_study_group *g = &groups[0];

	if (r->given & ET_LAB_PRESET) {
		memcpy(groups, paper, sizeof(paper));
		return ET_STUDY_GROUPS;
	}
	g->n = m->n_lengths ? m->n_lengths : ET_LENGTH(usual_ns);
	memcpy(g->lengths_ns, m->n_lengths ? m->lengths_ns : usual_ns, g->n * sizeof(uint64_t));
	g->runs = m->runs ? (uint32_t)m->runs : 40;
	return 1;
}

uint32_t et_study_block(const struct et_study_group *g)
{
	uint64_t round_ns = 0;

	for (size_t i = 0; i < g->n; i++)
		round_ns += g->lengths_ns[i];
	uint64_t fit = 600 * S / (round_ns ? round_ns : 1), tenth = (g->runs + 9) / 10;
	return (uint32_t)(!fit ? 1 : fit < tenth ? fit : tenth);
}

bool et_study_group_is(const struct et_study_group *g, const struct et_experiment *e)
{
	bool same = e->n_commands == g->n && e->plan.runs == g->runs;

	for (size_t i = 0; same && i < g->n; i++) {
		ET_AUTO_FREE char *name = et_lab_task(g->lengths_ns[i]);
		same = !strcmp(e->commands[i].name, name);
	}
	return same;
}
