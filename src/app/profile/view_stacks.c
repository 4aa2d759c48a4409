/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling contexts with their means, and a profile as folded stacks and for speedscope. */
#include "app/profile/view_parts.h"
#include "base/doubles.h"
#include "draw/terminal.h"
#include "model/experiment/field_rows.h"
#include "num/student.h"
#include "stats/profile/counts.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* Sums up the samples of each node with those below it; a node comes after its parent. */
static void sum_run(const struct et_profile *p, const struct et_profile_run *run, double *total)
{
	memset(total, 0, p->n_nodes * sizeof(*total));
	for (size_t i = 0; i < run->n_counts; i++)
		total[run->counts[i].node] += (double)run->counts[i].samples;
	for (size_t i = p->n_nodes; i-- > 1;)
		total[p->nodes[i].parent] += total[i];
}

struct et_profile_box *et_profile_tree(
	const struct et_experiment *e, uint32_t command, double level)
{
	const struct et_profile *p = e->profile;
	struct et_profile_box *boxes = et_calloc(p->n_nodes, sizeof(*boxes));
	ET_AUTO_FREE double *total = et_calloc(p->n_nodes, sizeof(*total));
	ET_AUTO_FREE struct et_welford *shares = et_calloc(p->n_nodes, sizeof(*shares));
	struct et_profile_counts counts;

	et_profile_counts_make(e, command, ET_BY_MODULE, &counts);
	double n = (double)counts.n_runs, with_share = 0;
	for (size_t r = 0; r < counts.n_runs; r++) {
		const struct et_profile_run *run = counts.runs[r];
		if (!run->samples) /* it has no shares, as in the table */
			continue;
		with_share++;
		sum_run(p, run, total);
		for (size_t i = 0; i < run->n_counts; i++)
			boxes[run->counts[i].node].self += (double)run->counts[i].samples / n;
		for (size_t i = 0; i < p->n_nodes; i++) {
			et_welford_add(&shares[i], total[i] / (double)run->samples);
			boxes[i].total += total[i] / n;
		}
	}
	double t = with_share < 2 ? NAN : et_qt(0.5 + level / 2, with_share - 1);
	for (size_t i = 0; i < p->n_nodes; i++) {
		boxes[i].share = shares[i].mean;
		boxes[i].half = t * sqrt(shares[i].squares / (with_share * (with_share - 1)));
	}
	et_profile_counts_free(&counts);
	return boxes;
}

/* Semicolons separate functions in folded stacks, so none may be in a name. */
static void write_name(const char *name, FILE *out)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");

	for (char *s = clean; *s; s++)
		putc(*s == ';' ? ':' : *s, out);
}

/* The functions of a context from the outermost in; the caller frees the list. */
static uint32_t *path_to(const struct et_profile *p, uint32_t node, uint32_t *depth)
{
	*depth = 0;
	for (uint32_t i = node; i != ET_PROFILE_ROOT; i = p->nodes[i].parent)
		++*depth;
	uint32_t *path = et_calloc(*depth + 1, sizeof(*path));
	for (uint32_t i = node, at = *depth; i != ET_PROFILE_ROOT; i = p->nodes[i].parent)
		path[--at] = p->nodes[i].function;
	return path;
}

/* Two commands have both counts, as of difffolded.pl; rarer than one in 100 runs is omitted. */
void et_profile_folded(const struct et_profiled *p, FILE *out)
{
	const struct et_profile *profile = p->experiment->profile;
	const double least = 0.005;
	struct et_profile_box *boxes[2] = { 0 };
	size_t n = p->n < 2 ? p->n : 2;
	char count[32];

	for (size_t c = 0; c < n; c++)
		boxes[c] = et_profile_tree(p->experiment, (uint32_t)c, 0.95);
	for (uint32_t i = 1; i < profile->n_nodes; i++) {
		double most = 0;
		uint32_t depth;
		for (size_t c = 0; c < n; c++)
			most = fmax(most, boxes[c][i].self);
		if (most < least)
			continue;
		ET_AUTO_FREE uint32_t *path = path_to(profile, i, &depth);
		for (uint32_t k = 0; k < depth; k++) {
			fputs(k ? ";" : "", out);
			write_name(profile->functions[path[k]].name, out);
		}
		/* At most two decimals: "816.1", "3". */
		for (size_t c = 0; c < n; c++)
			fprintf(out, " %s",
				et_shortest(round(100 * boxes[c][i].self) / 100, count));
		putc('\n', out);
	}
	for (size_t c = 0; c < n; c++)
		free(boxes[c]);
}

ET_FIELDS(shared_fields, ET_KEY_LIST(et_profile, "frames", functions, n_functions,
				 ET_TABLE(ET_KEYS(et_profile_function, name),
					 ET_KEY(et_profile_function, "file", module)),
				 .flat = true));

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
		uint32_t depth;
		if (!(boxes[i].self > 0))
			continue;
		ET_AUTO_FREE uint32_t *path = path_to(profile, i, &depth);
		et_json_flat_array(w, NULL);
		for (uint32_t k = 0; k < depth; k++)
			et_json_u64(w, NULL, path[k]);
		et_json_end(w);
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
	et_fields_object(&w, "shared", shared_fields, p->experiment->profile);
	et_json_array(&w, "profiles");
	for (size_t c = 0; c < p->n; c++)
		write_profile(&w, p, c);
	et_json_end(&w);
	et_json_end(&w);
}
