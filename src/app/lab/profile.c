/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The studies of profilers: what they run, and how they are planned, measured and loaded. */
#include "app/lab/profile.h"
#include "base/folder.h"
#include "lab/rivals.h"
#include "profile/readers/helper.h"
#include "put/alone.h"
#include "put/put.h"

#include <fcntl.h>

enum { BLOCKS = 5 };

/* --- the other profilers: which ones are installed, and programs built for gprof --- */

static const char *const compilers[] = { "gcc", "cc", "clang", NULL };

static char *find_compiler(void)
{
	char *found = NULL;

	for (const char *const *c = compilers; !found && *c; c++)
		found = et_lab_find(*c);
	return found;
}

struct et_lab_part *et_profiling_add(struct et_profiling *p, const char *name,
	const char *instrument, const struct et_profile_plan *plan)
{
	struct et_lab_part *part = &p->study.parts[p->study.n++];

	*part = (struct et_lab_part){ .instrument = instrument, .plan = *plan };
	snprintf(part->name, sizeof(part->name), "%s", name);
	return part;
}

/* Notes that an instrument is missing, once; --from needs no program, only the parts. */
static bool is_missing(struct et_profiling *p, bool found, const char *what)
{
	bool missing = !p->study.r->measure.from && !found, noted = false;

	for (size_t i = 0; i < p->n_missing; i++)
		noted = noted || !strcmp(p->missing[i], what);
	if (missing && !noted && p->n_missing < ET_LAB_MOST_MISSING)
		p->missing[p->n_missing++] = what;
	return missing;
}

struct et_lab_part *et_profiling_add_gprof(
	struct et_profiling *p, const char *name, const char *alone)
{
	struct et_profile_plan plan = { .event = ET_EVENT_GPROF, .rate_hz = 100 };
	ET_AUTO_FREE char *compiler = find_compiler();
	ET_AUTO_FREE char *gprof = et_lab_find("gprof");

	if (is_missing(p, compiler, "gprof: there is no compiler (apt install gcc)") ||
		is_missing(p, gprof, "gprof: it is not installed (apt install binutils)"))
		return NULL;
	struct et_lab_part *part = et_profiling_add(p, name, "gprof", &plan);
	part->alone = alone;
	return part;
}

struct et_lab_part *et_profiling_add_perf(struct et_profiling *p, const char *name)
{
	struct et_profile_plan plan = { .event = ET_EVENT_PERF, .rate_hz = 1000 };
	ET_AUTO_FREE char *perf = et_lab_find("perf");

	if (is_missing(p, perf, "perf record: it is not installed (apt install linux-perf)"))
		return NULL;
	return et_profiling_add(p, name, "perf record", &plan);
}

/* As the note built it: -O1 -pg. gprof knows the addresses of the file, not where PIE moves it. */
static int compile(const char *folder, const struct et_put_alone *a, struct et_error *err)
{
	ET_AUTO_FREE char *compiler = find_compiler();
	ET_AUTO_FREE char *source = et_asprintf("%s/%s.c", folder, a->name);
	ET_AUTO_FREE char *program = et_asprintf("%s/%s", folder, a->name);
	char *argv[] = { compiler, (char *)"-O1", (char *)"-pg", (char *)"-no-pie",
		(char *)"-DET_ALONE", (char *)"-o", program, source, NULL };
	ET_AUTO_CLOSE int fd = open(source, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t n = strlen(a->source);
	struct et_helper h;

	if (fd < 0 || write(fd, a->source, n) != (ssize_t)n)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, source);
	int rc = et_helper_start(&h, argv, err);
	return rc ? rc : et_helper_end(&h, 0, "the compiler", err);
}

static int compile_all(struct et_profiling *p, struct et_error *err)
{
	int rc = 0;

	for (const struct et_put_alone *a = et_alone_programs; rc == 0 && a->name; a++) {
		bool wanted = false;
		for (size_t i = 0; i < p->study.n; i++)
			wanted = wanted || (p->study.parts[i].alone &&
						   !strcmp(p->study.parts[i].alone, a->name));
		if (wanted)
			rc = compile(p->folder, a, err);
	}
	return rc;
}

/* --- commands --- */

uint64_t et_lab_iterations(const struct et_profiling *p)
{
	ET_AUTO_FREE char *state = et_cli_state_dir();
	/* --from runs nothing, so it calibrates nothing. */
	uint64_t n = p->study.r->measure.from ? 1 : et_grind_iterations(state, p->work_ns);

	return n ? n : 1;
}

char *et_lab_number(uint64_t n)
{
	return et_asprintf("%" PRIu64, n);
}

void et_lab_add_fragment(const struct et_profiling *p, const struct et_lab_part *part,
	struct et_experiment *e, char *name, uint64_t calls)
{
	uint64_t work = et_lab_iterations(p), per_call = (work + calls / 2) / calls;
	ET_AUTO_FREE char *calls_text = et_lab_number(calls);
	ET_AUTO_FREE char *work_text = et_lab_number(work < calls ? calls : work);
	ET_AUTO_FREE char *per_call_text = et_lab_number(per_call ? per_call : 1);
	ET_AUTO_FREE char *alone = et_asprintf("%s/fragment", p->folder ? p->folder : "");

	et_experiment_add_command(e, name,
		part->alone ? et_strv_of(alone, calls_text, per_call_text, "0", NULL)
			    : et_strv_of(p->study.exe, "put", "fragment", "--calls", calls_text,
				      "--iterations", work_text, NULL));
}

/* --- experiments and blocks --- */

static struct et_experiment *plan(const struct et_lab_study *s, const struct et_lab_part *part)
{
	const struct et_profiling *p = s->owner;
	struct et_experiment *e = et_experiment_new();

	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_ROUND_ROBIN; /* all levels upward, then the next iteration */
	e->plan.runs = p->runs;
	e->plan.warmup = 0; /* every block would warm up again */
	e->plan.seed = p->study.r->simulation.seed;
	e->profile = et_profile_new(&part->plan);
	if (et_profile_by_file(e->profile) && p->folder)
		e->child.directory = et_strdup(p->folder);
	if (p->cpu >= 0)
		e->child.cpus = et_asprintf("%d", p->cpu);
	p->lab->add_commands(p, part, e);
	return e;
}

static int run_block(struct et_lab_study *s, struct et_lab_part *part, struct et_error *err)
{
	char *const load[] = { (char *)"dd", (char *)"if=/dev/urandom", (char *)"of=/dev/null",
		NULL };
	const struct et_profiling *p = s->owner;
	struct et_measuring m = { .no_ledger = true,
		.most_rounds = (p->runs + BLOCKS - 1) / BLOCKS };
	struct et_rivals rivals = { 0 };
	int rc = 0;

	if (part->load)
		rc = et_rivals_start(&rivals, 1, p->cpu, load, err);
	if (rc == 0)
		rc = et_lab_study_block(s, part, m, err);
	if (part->load)
		et_rivals_end(&rivals);
	return rc;
}

static size_t in_order(struct et_lab_study *s, uint64_t cycle, struct et_lab_part **out)
{
	(void)cycle;
	for (size_t i = 0; i < s->n; i++)
		out[i] = &s->parts[i];
	return s->n;
}

/* --- the study --- */

/* CPU time before a run, which begins at a random moment of the period that events share. */
static double lead_of(const struct et_lab_part *part)
{
	enum { EVENTS = 8 };
	const struct et_profile_plan *plan = &part->plan;
	double period = plan->period ? 1e-9 * (double)plan->period : 1 / plan->rate_hz;

	return part->alone || !strcmp(plan->event, ET_EVENT_PERF) ? 0
	       : plan->fixed                                      ? period / 2
								  : EVENTS * period;
}

/* The expected time: the load takes half of the CPU. */
static void announce(const struct et_profiling *p)
{
	double seconds = 0;
	size_t treatments = 0;

	for (size_t i = 0; i < p->study.n; i++) {
		struct et_experiment *e = et_lab_study_plan(&p->study, &p->study.parts[i]);
		double run = 1e-9 * (double)p->work_ns * (p->study.parts[i].load ? 2 : 1) + 0.02 +
			     lead_of(&p->study.parts[i]);
		treatments += e->n_commands;
		seconds += run * (double)e->n_commands * p->runs;
		et_experiment_free(e);
	}
	et_lab_announce(p->study.r, treatments, "treatments", p->runs, seconds);
}

/* The folder has the same name when the study is resumed, because its commands name it. */
static int make_folder(struct et_profiling *p, struct et_error *err)
{
	ET_AUTO_FREE char *state = et_cli_state_dir();
	const char *stamp = strrchr(p->study.prefix, '/') + 1;

	if (!state)
		return et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"no folder for the programs: neither HOME nor XDG_STATE_HOME is set");
	p->folder = et_asprintf("%s/lab/%s", state, stamp);
	ET_AUTO_FREE char *inside = et_asprintf("%s/", p->folder);
	int rc = et_folders_make(inside, 0700);
	return rc ? et_fail_file(err, -rc, ET_EXIT_OUTSIDE, p->folder) : 0;
}

/* Parts of different experiments may have the same name, but their treatments differ. */
static int check_part(
	const struct et_lab_study *s, const struct et_lab_part *part, struct et_error *err)
{
	const struct et_profiling *p = s->owner;
	struct et_experiment *planned = et_lab_study_plan(s, part);
	const struct et_experiment *e = part->e;
	bool same = e->profile && e->n_commands == planned->n_commands;

	for (size_t i = 0; same && i < e->n_commands; i++)
		same = !strcmp(e->commands[i].name, planned->commands[i].name);
	et_experiment_free(planned);
	if (!same)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s' is no experiment of lab %s",
			s->prefix, s->lab);
	if (s->r->measure.from || e->plan.runs == p->runs)
		return 0;
	return et_refuse(err, "give the options with which it began",
		"--resume: '%s' has other runs", s->prefix);
}

static int loaded(struct et_lab_study *s, struct et_store *store, struct et_error *err)
{
	int rc = 0;

	(void)store;
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		if (s->parts[i].e)
			rc = check_part(s, &s->parts[i], err);
	}
	return rc;
}

static int measure(struct et_lab_study *s, struct et_error *err)
{
	struct et_profiling *p = s->owner;
	int rc = make_folder(p, err);

	if (rc == 0)
		rc = compile_all(p, err);
	if (rc == 0) {
		announce(p);
		rc = et_lab_study_turns(s, err);
	}
	if (rc == 0) {
		et_lab_folder_remove(p->folder);
		p->folder = NULL;
	}
	return rc;
}

int et_profile_lab_run(struct et_call *call, struct et_error *err)
{
	struct et_profiling *p = et_calloc(1, sizeof(*p));
	struct et_lab_study *s = &p->study;
	int rc;

	*s = (struct et_lab_study){ .r = call->ctx,
		.owner = p,
		.plan = plan,
		.loaded = loaded,
		.measure = measure,
		.order = in_order,
		.block = run_block,
		.print = et_profiling_show };
	p->lab = call->action->context;
	s->lab = call->action->name;
	p->cpu = -1;
	if (s->r->measure.lengths_ns.n > 1)
		rc = et_fail(err, EINVAL, ET_EXIT_USAGE,
			"lab %s: --lengths takes one length, that of each run", s->lab);
	else
		rc = et_program_find("etalon", s->exe, err);
	bool paper = s->r->given & ET_LAB_PRESET;
	p->runs = s->r->measure.runs ? (uint32_t)s->r->measure.runs
		  : paper            ? p->lab->paper_runs
				     : p->lab->runs;
	p->work_ns = s->r->measure.lengths_ns.n ? s->r->measure.lengths_ns.numbers[0]
		     : paper                    ? p->lab->paper_work_ns
						: p->lab->work_ns;
	if (rc == 0) {
		p->lab->plan(p);
		rc = et_lab_study_perform(s, err);
	}
	et_lab_study_free(s);
	free(p->folder);
	free(p);
	return rc;
}
