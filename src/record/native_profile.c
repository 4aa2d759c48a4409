/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "model/experiment/field_rows.h"
#include "record/native.h"

/* The root has the number 0 and is not written. */
static void write_nodes(struct et_json *w, const struct et_profile *p)
{
	et_json_array(w, "nodes");
	for (size_t i = 1; i < p->n_nodes; i++) {
		et_json_flat_array(w, NULL);
		et_json_u64(w, NULL, p->nodes[i].parent);
		et_json_u64(w, NULL, p->nodes[i].function);
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_run(struct et_json *w, const struct et_profile_run *run)
{
	et_json_flat_object(w, NULL);
	et_json_u64(w, "command", run->command);
	et_json_u64(w, "order", run->order);
	et_fields_write(w, et_profile_run_fields, run);
	et_json_flat_array(w, "counts");
	for (size_t i = 0; i < run->n_counts; i++) {
		et_json_flat_array(w, NULL);
		et_json_u64(w, NULL, run->counts[i].node);
		et_json_u64(w, NULL, run->counts[i].samples);
		et_json_u64(w, NULL, run->counts[i].at_entry);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

static const struct et_field call_fields[] = {
	ET_KEYS(et_profile_calls, command, function, calls),
	{ 0 },
};

void et_native_profile(struct et_json *w, const struct et_profile *p)
{
	if (!p) {
		et_json_null(w, "profile");
		return;
	}
	et_json_object(w, "profile");
	et_fields_flat(w, "plan", et_profile_plan_fields, &p->plan);
	et_fields_write(w, et_profile_fields, p);
	et_fields_list(w, "functions", et_profile_function_fields, p->functions, p->n_functions,
		sizeof(*p->functions));
	write_nodes(w, p);
	et_json_array(w, "runs");
	for (size_t i = 0; i < p->n_runs; i++)
		write_run(w, &p->runs[i]);
	et_json_end(w);
	et_fields_list(w, "calls", call_fields, p->calls, p->n_calls, sizeof(*p->calls));
	et_json_end(w);
}
