/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile for other programs that show stacks: folded stacks, and the file format of speedscope.
 */
#include "app/profile/view_tree.h"
#include "base/alloc.h"
#include "base/json.h"

#include <math.h>

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* At most two decimals: "816.1", "3". */
static void write_count(double x, FILE *out)
{
	char buf[32];

	fprintf(out, " %s", et_shortest(round(100 * x) / 100, buf));
}

/*
 * With two commands, each line has both counts, as difffolded.pl of FlameGraph writes them. A stack
 * that is rarer than one sample in 100 runs is omitted.
 */
void et_profile_folded(const struct et_profiled *p, FILE *out)
{
	const struct et_profile *profile = p->experiment->profile;
	const double least = 0.005;
	struct et_profile_box *boxes[2] = { 0 };
	size_t n = p->n < 2 ? p->n : 2;

	for (size_t c = 0; c < n; c++)
		boxes[c] = et_profile_tree(p->experiment, (uint32_t)c, 0.95);
	for (uint32_t i = 1; i < profile->n_nodes; i++) {
		double most = 0;
		for (size_t c = 0; c < n; c++)
			most = fmax(most, boxes[c][i].self);
		if (most < least)
			continue;
		et_profile_stack(profile, i, ";", out);
		for (size_t c = 0; c < n; c++)
			write_count(boxes[c][i].self, out);
		putc('\n', out);
	}
	for (size_t c = 0; c < n; c++)
		free(boxes[c]);
}

static void write_frames(struct et_json *w, const struct et_profile *p)
{
	et_json_object(w, "shared");
	et_json_array(w, "frames");
	for (size_t i = 0; i < p->n_functions; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "name", p->functions[i].name);
		et_json_string(w, "file", p->functions[i].module);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

/* The outermost function comes first. */
static void write_path(struct et_json *w, const struct et_profile *p, uint32_t node)
{
	uint32_t depth = 0;

	for (uint32_t i = node; i != ET_PROFILE_ROOT; i = p->nodes[i].parent)
		depth++;
	ET_AUTO_FREE uint32_t *path = et_calloc(depth + 1, sizeof(*path));
	for (uint32_t i = node, at = depth; i != ET_PROFILE_ROOT; i = p->nodes[i].parent)
		path[--at] = p->nodes[i].function;
	et_json_flat_array(w, NULL);
	for (uint32_t i = 0; i < depth; i++)
		et_json_u64(w, NULL, path[i]);
	et_json_end(w);
}

/* Weights are CPU time where it is known, else samples. */
static void write_profile(struct et_json *w, const struct et_profiled *p, size_t c)
{
	const struct et_profile *profile = p->experiment->profile;
	double period = p->results[c].period_ns;
	bool timed = isfinite(period) && period > 0;
	double unit = timed ? period : 1, end = 0;
	ET_AUTO_FREE struct et_profile_box *boxes =
		et_profile_tree(p->experiment, (uint32_t)c, 0.95);

	et_json_object(w, NULL);
	et_json_string(w, "type", "sampled");
	et_json_string(w, "name", p->experiment->commands[c].name);
	et_json_string(w, "unit", timed ? "nanoseconds" : "none");
	et_json_array(w, "samples");
	for (uint32_t i = 1; i < profile->n_nodes; i++) {
		if (boxes[i].self > 0)
			write_path(w, profile, i);
	}
	et_json_end(w);
	et_json_flat_array(w, "weights");
	for (uint32_t i = 1; i < profile->n_nodes; i++) {
		if (boxes[i].self > 0)
			et_json_double(w, NULL, boxes[i].self * unit);
		end += boxes[i].self * unit;
	}
	et_json_end(w);
	et_json_double(w, "startValue", 0);
	et_json_double(w, "endValue", end);
	et_json_end(w);
}

void et_profile_speedscope(const struct et_profiled *p, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 0);
	et_json_object(&w, NULL);
	et_json_string(&w, "$schema", SCHEMA);
	et_json_string(&w, "exporter", "etalon " ET_VERSION);
	et_json_string(&w, "name", p->n ? p->experiment->commands[0].name : "");
	write_frames(&w, p->experiment->profile);
	et_json_array(&w, "profiles");
	for (size_t c = 0; c < p->n; c++)
		write_profile(&w, p, c);
	et_json_end(&w);
	et_json_end(&w);
}
