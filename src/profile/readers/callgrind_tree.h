/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes calling contexts of a call graph. callgrind records which function called which and what
 * those calls cost, but not in which context; so we assume, as gprof does, that a call of a
 * function costs the same wherever it comes from. Without recursion the inclusive cost of each
 * function is then the recorded one. The self cost of each function is exact in any case. Private
 * to src/profile.
 */
#pragma once

#include "base/hash.h"
#include "profile/readers/reader.h"

struct et_call_arc {
	uint32_t caller, callee; /* functions of the profile */
	uint64_t cost;           /* inclusive */
};

struct et_call_graph {
	uint64_t *self; /* by function */
	size_t functions;
	struct et_call_arc *arcs;
	size_t n_arcs, arcs_room;
	struct et_hash by_pair; /* width 8 */
};

void et_call_graph_init(struct et_call_graph *g);
void et_call_graph_free(struct et_call_graph *g);
/* Both return false if a sum overflows. */
bool et_call_graph_self(struct et_call_graph *g, uint32_t function, uint64_t cost);
bool et_call_graph_call(struct et_call_graph *g, uint32_t caller, uint32_t callee, uint64_t cost);
/* Adds the contexts and their self costs to the run that is being read. Sorts the arcs. */
int et_call_graph_unfold(struct et_call_graph *g, struct et_reader *r) ET_CHECK;
