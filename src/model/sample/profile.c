/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/profile.h"

#include <assert.h>

const char *const et_chains_names[] = { "none", "fp", "dwarf", NULL };
const char *const et_profile_way_names[] = { "cgroup", "inherited", "imported", NULL };
const char *const et_space_kind_names[] = { "user", "kernel", "jit", "unknown", NULL };

const struct et_profile_plan et_default_profile_plan = { .event = "auto", .rate_hz = 1000 };

bool et_profile_by_file(const struct et_profile *p)
{
	return !strcmp(p->plan.event, ET_EVENT_GPROF) || !strcmp(p->plan.event, ET_EVENT_PERF);
}

struct et_profile *et_profile_new(const struct et_profile_plan *plan)
{
	struct et_profile *p = et_calloc(1, sizeof(*p));

	p->plan = *plan;
	p->by_text.width = p->by_node.width = p->by_calls.width = sizeof(uint64_t);
	ET_GROW(p->nodes, p->n_nodes, p->nodes_room);
	p->nodes[p->n_nodes++] = (struct et_profile_node){ ET_PROFILE_ROOT, ET_PROFILE_NONE };
	return p;
}

void et_profile_free(struct et_profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_functions; i++) {
		free(p->functions[i].name);
		free(p->functions[i].module);
	}
	for (size_t i = 0; i < p->n_runs; i++)
		free(p->runs[i].counts);
	for (size_t i = 0; i < p->n_builds; i++)
		free(p->builds[i].module);
	free(p->builds);
	free(p->functions);
	free(p->nodes);
	free(p->runs);
	free(p->calls);
	et_hash_free(&p->by_text);
	et_hash_free(&p->by_node);
	et_hash_free(&p->by_calls);
	free(p);
}

uint32_t et_profile_function_of(struct et_profile *p, const char *name, const char *module,
	enum et_space_kind space, bool unnamed)
{
	uint64_t key = (et_hash_text(name) * 31 + et_hash_text(module)) | 1;
	const struct et_profile_function *f;
	uint64_t *place; /* its number + 1; 0: it is new */

	/* Names come from files of strangers, who can make hashes collide. */
	for (; *(place = et_hash_put(&p->by_text, key)); key += 2) {
		f = &p->functions[*place - 1];
		if (!strcmp(f->name, name) && !strcmp(f->module, module))
			return (uint32_t)*place - 1;
	}
	ET_GROW(p->functions, p->n_functions, p->functions_room);
	p->functions[p->n_functions++] = (struct et_profile_function){ .name = et_strdup(name),
		.module = et_strdup(module),
		.space = space,
		.unnamed = unnamed };
	*place = p->n_functions;
	return (uint32_t)p->n_functions - 1;
}

/* Never 0, because `function` is smaller than ET_PROFILE_NONE. */
static uint64_t key_of(uint32_t parent_or_command, uint32_t function)
{
	return ((uint64_t)parent_or_command << 32 | function) + 1;
}

uint32_t et_profile_find_node(const struct et_profile *p, uint32_t parent, uint32_t function)
{
	const uint64_t *found = et_hash_find(&p->by_node, key_of(parent, function));

	return found ? (uint32_t)*found : ET_PROFILE_NONE;
}

uint32_t et_profile_node_of(struct et_profile *p, uint32_t parent, uint32_t function)
{
	uint32_t found = et_profile_find_node(p, parent, function);

	assert(parent < p->n_nodes && function < p->n_functions);
	if (found != ET_PROFILE_NONE)
		return found;
	ET_GROW(p->nodes, p->n_nodes, p->nodes_room);
	p->nodes[p->n_nodes] = (struct et_profile_node){ parent, function };
	*(uint64_t *)et_hash_put(&p->by_node, key_of(parent, function)) = p->n_nodes;
	return (uint32_t)p->n_nodes++;
}

struct et_profile_run *et_profile_add_run(struct et_profile *p, struct et_profile_run *run)
{
	ET_GROW(p->runs, p->n_runs, p->runs_room);
	p->runs[p->n_runs] = *run;
	run->counts = NULL;
	run->n_counts = 0;
	return &p->runs[p->n_runs++];
}

/* Numbers of functions and contexts differ between the two, so each is looked up by its text. */
void et_profile_append(struct et_profile *p, const struct et_profile *other, uint32_t command)
{
	ET_AUTO_FREE uint32_t *node = et_calloc(other->n_nodes, sizeof(*node));

	for (size_t i = 1; i < other->n_nodes; i++) {
		const struct et_profile_function *f = &other->functions[other->nodes[i].function];
		uint32_t function =
			et_profile_function_of(p, f->name, f->module, f->space, f->unnamed);
		node[i] = et_profile_node_of(p, node[other->nodes[i].parent], function);
	}
	for (size_t i = 0; i < other->n_runs; i++) {
		struct et_profile_run run = other->runs[i];
		run.command = command;
		run.samples = 0;
		run.counts = NULL;
		run.n_counts = 0;
		for (size_t k = 0; k < other->runs[i].n_counts; k++) {
			const struct et_profile_count *c = &other->runs[i].counts[k];
			et_profile_run_add(&run, node[c->node], c->samples, c->at_entry);
		}
		et_profile_add_run(p, &run);
	}
}

struct et_profile_build *et_profile_build_of(const struct et_profile *p, const char *module)
{
	for (size_t i = 0; i < p->n_builds; i++) {
		if (!strcmp(p->builds[i].module, module))
			return &p->builds[i];
	}
	return NULL;
}

void et_profile_note_build(
	struct et_profile *p, const char *module, const unsigned char *id, size_t size)
{
	struct et_profile_build *known = et_profile_build_of(p, module);

	if (known) {
		if (known->size != size || memcmp(known->id, id, size) != 0)
			known->size = 0;
		return;
	}
	assert(size && size <= sizeof(known->id));
	ET_GROW(p->builds, p->n_builds, p->builds_room);
	known = &p->builds[p->n_builds++];
	*known = (struct et_profile_build){ .module = et_strdup(module), .size = size };
	memcpy(known->id, id, size);
}

static struct et_profile_calls *find_calls(
	const struct et_profile *p, uint32_t command, uint32_t function)
{
	const uint64_t *found = et_hash_find(&p->by_calls, key_of(command, function));

	return found ? &p->calls[*found] : NULL;
}

void et_profile_set_calls(struct et_profile *p, uint32_t command, uint32_t function, double calls)
{
	struct et_profile_calls *known = find_calls(p, command, function);

	if (!known) {
		ET_GROW(p->calls, p->n_calls, p->calls_room);
		*(uint64_t *)et_hash_put(&p->by_calls, key_of(command, function)) = p->n_calls;
		known = &p->calls[p->n_calls++];
	}
	*known = (struct et_profile_calls){ command, function, calls };
}

double et_profile_calls_of(const struct et_profile *p, uint32_t command, uint32_t function)
{
	const struct et_profile_calls *known = find_calls(p, command, function);

	return known ? known->calls : NAN;
}

/* Returns the place of the node, or of the first node after it. */
static size_t place_of_node(const struct et_profile_run *run, uint32_t node)
{
	size_t lo = 0, hi = run->n_counts;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		if (run->counts[middle].node < node)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

void et_profile_run_add(
	struct et_profile_run *run, uint32_t node, uint64_t samples, uint64_t at_entry)
{
	size_t i = place_of_node(run, node);

	run->samples += samples;
	if (i == run->n_counts || run->counts[i].node != node) {
		run->counts = et_realloc(run->counts, run->n_counts + 1, sizeof(*run->counts));
		memmove(&run->counts[i + 1], &run->counts[i],
			(run->n_counts - i) * sizeof(*run->counts));
		run->counts[i] = (struct et_profile_count){ .node = node };
		run->n_counts++;
	}
	run->counts[i].samples += samples;
	run->counts[i].at_entry += at_entry;
}

void et_profile_tally_add(
	struct et_profile_tally *t, uint32_t node, uint64_t samples, uint64_t at_entry)
{
	if (node >= t->room) {
		size_t room = (size_t)node + node / 2 + 64;
		t->counts = et_realloc(t->counts, room, sizeof(*t->counts));
		memset(t->counts + t->room, 0, (room - t->room) * sizeof(*t->counts));
		t->room = room;
	}
	t->counts[node].samples += samples;
	t->counts[node].at_entry += at_entry;
}

void et_profile_tally_clear(struct et_profile_tally *t)
{
	if (t->room)
		memset(t->counts, 0, t->room * sizeof(*t->counts));
}

void et_profile_tally_take(struct et_profile_tally *t, struct et_profile_run *run)
{
	run->n_counts = run->samples = 0;
	for (size_t i = 0; i < t->room; i++)
		run->n_counts += t->counts[i].samples > 0;
	run->counts = et_calloc(run->n_counts + 1, sizeof(*run->counts));
	for (size_t i = 0, k = 0; i < t->room; i++) {
		if (!t->counts[i].samples)
			continue;
		run->samples += t->counts[i].samples;
		run->counts[k] = t->counts[i];
		run->counts[k++].node = (uint32_t)i;
	}
	et_profile_tally_clear(t);
}

struct et_profile_run *et_profile_run_copy(const struct et_profile_run *run)
{
	if (!run)
		return NULL;
	struct et_profile_run *copy = et_alloc(sizeof(*copy));
	*copy = *run;
	copy->counts = et_calloc(run->n_counts + 1, sizeof(*copy->counts));
	if (run->n_counts)
		memcpy(copy->counts, run->counts, run->n_counts * sizeof(*copy->counts));
	return copy;
}

void et_profile_run_free(struct et_profile_run *run)
{
	if (run)
		free(run->counts);
	free(run);
}
