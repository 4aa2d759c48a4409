/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the studies of profilers run: the program under test, also as built for gprof, and the other
 * profilers that are installed.
 */
#include "app/lab/profile.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "profile/readers/helper.h"
#include "put/alone.h"
#include "put/put.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

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

static void note_missing(struct et_profiling *p, const char *what)
{
	for (size_t i = 0; i < p->n_missing; i++) {
		if (!strcmp(p->missing[i], what))
			return;
	}
	if (p->n_missing < ET_LAB_MOST_MISSING)
		p->missing[p->n_missing++] = et_strdup(what);
}

/* --from needs no program, only the parts. */
struct et_lab_part *et_profiling_add_gprof(
	struct et_profiling *p, const char *name, const char *alone)
{
	struct et_profile_plan plan = { .event = ET_EVENT_GPROF, .rate_hz = 100 };
	ET_AUTO_FREE char *compiler = find_compiler();
	ET_AUTO_FREE char *gprof = et_lab_find("gprof");

	if (!p->study.r->measure.from && (!compiler || !gprof)) {
		note_missing(p, compiler ? "gprof: it is not installed (apt install binutils)"
					 : "gprof: there is no compiler (apt install gcc)");
		return NULL;
	}
	struct et_lab_part *part = et_profiling_add(p, name, "gprof", &plan);
	part->alone = alone;
	return part;
}

struct et_lab_part *et_profiling_add_perf(struct et_profiling *p, const char *name)
{
	struct et_profile_plan plan = { .event = ET_EVENT_PERF, .rate_hz = 1000 };
	ET_AUTO_FREE char *perf = et_lab_find("perf");

	if (!p->study.r->measure.from && !perf) {
		note_missing(p, "perf record: it is not installed (apt install linux-perf)");
		return NULL;
	}
	return et_profiling_add(p, name, "perf record", &plan);
}

static int write_source(const char *path, const char *text, struct et_error *err)
{
	ET_AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	return 0;
}

/* As the note built it: -O1 -pg. gprof knows the addresses of the file, not where PIE moves it. */
static int compile(const char *folder, const struct et_put_alone *a, struct et_error *err)
{
	ET_AUTO_FREE char *compiler = find_compiler();
	ET_AUTO_FREE char *source = et_asprintf("%s/%s.c", folder, a->name);
	ET_AUTO_FREE char *program = et_asprintf("%s/%s", folder, a->name);
	char *argv[] = { compiler, (char *)"-O1", (char *)"-pg", (char *)"-no-pie",
		(char *)"-DET_ALONE", (char *)"-o", program, source, NULL };
	struct et_helper h;
	int rc = write_source(source, a->source, err);

	if (rc == 0)
		rc = et_helper_start(&h, argv, err);
	return rc ? rc : et_helper_end(&h, 0, "the compiler", err);
}

int et_profiling_compile(struct et_profiling *p, struct et_error *err)
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
