/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/run.h"
#include "profile/readers/read.h"
#include "profile/sampling/observe.h"

struct observation {
	const struct et_experiment *e;
	char *path; /* of the file */
	bool gprof;
};

static int open_file(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	const struct et_experiment *e = setup->e;
	bool gprof = !strcmp(e->profile->plan.event, ET_EVENT_GPROF);

	if (!e->child.directory)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"the profile of %s needs a folder for its file", e->profile->plan.event);
	struct observation *o = et_calloc(1, sizeof(*o));
	*o = (struct observation){ .e = e,
		.gprof = gprof,
		.path = et_asprintf(
			"%s/%s", e->child.directory, gprof ? "gmon.out" : "perf.data") };
	e->profile->way = ET_PROFILE_IMPORTED;
	e->profile->kernel_allowed = !gprof;
	snprintf(e->profile->event, sizeof(e->profile->event), "%s", e->profile->plan.event);
	*self = o;
	return 0;
}

/* A run that fails must not have the file of the run before. */
static void before(void *self, struct et_run *run)
{
	const struct observation *o = self;

	(void)run;
	unlink(o->path);
}

/* Copies the counts of a run, whose functions another profile has. */
static struct et_profile_run *translate(
	const struct et_profile *from, const struct et_profile_run *run, struct et_profile *to)
{
	struct et_profile_run *copy = et_profile_run_copy(run);

	copy->n_counts = copy->samples = 0;
	for (size_t i = 0; i < run->n_counts; i++) {
		uint32_t number = from->nodes[run->counts[i].node].function;
		if (number == ET_PROFILE_NONE)
			continue;
		const struct et_profile_function *f = &from->functions[number];
		uint32_t function =
			et_profile_function_of(to, f->name, f->module, f->space, f->unnamed);
		et_profile_run_add(copy, et_profile_node_of(to, ET_PROFILE_ROOT, function),
			run->counts[i].samples, run->counts[i].at_entry);
	}
	return copy;
}

/* A run that was too short for a sample has a file that the reader refuses: it counts as 0. */
static void fill(void *self, struct et_run *run, struct et_sample *samples)
{
	const struct observation *o = self;
	const char *program = o->e->commands[run->commands[0]].argv[0];
	char *paths[] = { (char *)program, o->path };
	struct et_profile_read_options options = { 0 };
	struct et_experiment *read = NULL;
	struct et_error err;

	if (access(o->path, R_OK))
		return;
	if (et_profile_read_files(
		    o->gprof ? paths : paths + 1, o->gprof ? 2 : 1, &options, &read, &err)) {
		samples[0].measured.profile = et_calloc(1, sizeof(struct et_profile_run));
		return;
	}
	samples[0].measured.profile =
		translate(read->profile, &read->profile->runs[0], o->e->profile);
	et_experiment_free(read);
}

static void close_file(void *self)
{
	struct observation *o = self;

	unlink(o->path);
	free(o->path);
	free(o);
}

const struct et_observer et_observe_profile_file = {
	.name = "profile-file",
	.on_request = true,
	.open = open_file,
	.before = before,
	.fill = fill,
	.close = close_file,
};
