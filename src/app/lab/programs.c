/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab real-programs`: whole programs with inputs of several sizes, in their own folder. */
#include "app/lab/experiments.h"
#include "app/lab/measured.h"
#include "app/lab/view/precision.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "measure/child/child.h"
#include "protocol/precision.h"
#include "put/subject.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_SUBJECTS = 32, RUNS = 10 };

/* The programs to measure and their inputs. */
struct programs {
	char *folder;                                     /* of the inputs; removed afterwards */
	struct et_missing_program missing[MOST_SUBJECTS]; /* ends with a NULL name */
	struct et_experiment *e;                          /* owned until it is measured */
	double seconds;                                   /* expected for one run of each */
	bool curves; /* at least one program has several sizes */
};

int et_lab_folder_make(char **out, struct et_error *err)
{
	const char *parent = getenv("TMPDIR");

	*out = et_asprintf("%s/etalon-lab.XXXXXX", parent && *parent ? parent : "/tmp");
	if (mkdtemp(*out))
		return 0;
	int rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, *out);
	free(*out);
	*out = NULL;
	return rc;
}

void et_lab_folder_remove(char *folder)
{
	DIR *d = folder ? opendir(folder) : NULL;

	for (struct dirent *f = d ? readdir(d) : NULL; f; f = readdir(d))
		unlinkat(dirfd(d), f->d_name, 0); /* fails for "." and ".." */
	if (d)
		closedir(d);
	if (folder)
		rmdir(folder);
	free(folder);
}

/* Debian installs games in a folder that is not in every PATH. NULL: not found. Caller frees. */
static char *find(const char *program)
{
	const char *path = getenv("PATH");
	ET_AUTO_FREE char *where =
		et_asprintf("%s:/usr/games", path && *path ? path : "/usr/local/bin:/usr/bin:/bin");
	char *found = NULL;

	return et_child_resolve(program, where, NULL, &found, NULL) ? NULL : found;
}

/* Adds the command of one size. */
static int add_size(struct programs *p, const struct et_subject *s, uint64_t size,
	const char *program, struct et_error *err)
{
	int rc = et_subject_prepare(s, size, p->folder, err);
	ET_AUTO_FREE char *line = et_subject_command(s, size, program, p->folder);

	if (rc == 0)
		rc = et_lab_add_command(p->e, et_asprintf("%s %" PRIu64, s->name, size), line, err);
	p->seconds += et_subject_seconds(s, size);
	return rc;
}

/* The sizes to run: those of the sets, and the user's numbers for our own workloads. */
static size_t choose_sizes(
	const struct et_lab_measure *m, const struct et_subject *s, uint64_t *sizes)
{
	static const unsigned usual = 1 << ET_SIZE_SMALL | 1 << ET_SIZE_MEDIUM;
	size_t n = et_subject_choose(s, m->sizes || m->n_own_sizes ? m->sizes : usual, sizes);

	for (size_t i = 0; !s->program && i < m->n_own_sizes; i++)
		sizes[n++] = m->own_sizes[i];
	return n;
}

static int add_subject(struct programs *p, const struct et_lab_request *r,
	const struct et_subject *s, const char *program, struct et_error *err)
{
	uint64_t sizes[ET_SUBJECT_MOST + ET_MAX_LENGTHS];
	size_t n = choose_sizes(&r->measure, s, sizes);
	int rc = 0;

	if (!n && r->measure.programs) {
		et_fail(err, EINVAL, ET_EXIT_USAGE, "lab real-programs: %s has none of these sizes",
			s->name);
		return et_hint(err, -EINVAL,
			"only sort, matc and matr take numbers and have sizes of the papers");
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_size(p, s, sizes[i], program, err);
	p->curves = p->curves || n > 1;
	if (rc == 0 && n && s->codes && !p->e->child.ignore_codes)
		p->e->child.ignore_codes = et_strdup(s->codes);
	return rc;
}

/* A picture has a curve over the sizes of a program. */
static int refuse_picture(struct et_error *err)
{
	et_fail(err, EINVAL, ET_EXIT_USAGE,
		"lab real-programs: --svg needs a program that runs in two sizes or more");
	return et_hint(err, -EINVAL, "use --sizes small,medium");
}

static int gather(struct programs *p, const struct et_lab_request *r, struct et_error *err)
{
	size_t n_missing = 0;
	char exe[PATH_MAX];
	int rc = et_program_find("etalon", exe, err);

	if (rc == 0)
		rc = et_lab_folder_make(&p->folder, err);
	for (size_t i = 0; rc == 0 && et_subjects[i].name; i++) {
		const struct et_subject *s = &et_subjects[i];
		if (r->measure.programs && !(r->measure.programs >> i & 1))
			continue;
		ET_AUTO_FREE char *program = s->program ? find(s->program) : et_strdup(exe);
		if (program)
			rc = add_subject(p, r, s, program, err);
		else
			p->missing[n_missing++] =
				(struct et_missing_program){ s->name, s->package };
	}
	if (rc == 0 && !p->e->n_commands) {
		et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT, "none of these programs is installed");
		rc = et_hint(err, -ENOENT, "apt install %s", p->missing[0].package);
	}
	return rc == 0 && r->measure.svg && !p->curves ? refuse_picture(err) : rc;
}

/* An experiment of hours should not come as a surprise. */
static void announce(const struct programs *p, const struct et_lab_request *r, uint32_t runs)
{
	double seconds = p->seconds * (runs + p->e->plan.warmup);
	bool short_time = seconds < 120, hours = seconds >= 7200;

	if (r->cli->verbosity >= 0)
		et_say(stderr,
			"etalon: %zu programs and sizes, %" PRIu32 " runs each: about %.*f %s\n",
			p->e->n_commands, runs, hours ? 1 : 0,
			short_time ? fmax(1, seconds) : seconds / (hours ? 3600 : 60),
			short_time ? "s"
			: hours    ? "h"
				   : "min");
}

/* Commands of a program are successive. */
static bool has_curves(const struct et_program_precision *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (list[i].program[0] && !strcmp(list[i].program, list[i - 1].program))
			return true;
	}
	return false;
}

/* Finds out which program and size a command of the record is, by its name, such as "gcc 30". */
static void identify(const char *name, struct et_program_precision *p)
{
	const char *space = strchr(name, ' ');
	size_t n = space ? (size_t)(space - name) : sizeof(p->program);

	if (n >= sizeof(p->program))
		return;
	memcpy(p->program, name, n); /* the rest is 0 */
	const struct et_subject *s = et_subject_find(p->program);
	if (!s || et_parse_u64("size", space + 1, 1, UINT64_MAX, &p->size, NULL))
		p->program[0] = '\0';
	else
		p->field = s->field;
}

static int print(struct et_lab_request *r, const struct et_experiment *e,
	const struct et_missing_program *missing, struct et_error *err)
{
	ET_AUTO_FREE struct et_program_precision *list =
		et_calloc(e->n_commands + 1, sizeof(*list));
	struct et_program_averages averages;
	FILE *svg = NULL;

	for (size_t i = 0; i < e->n_commands; i++) {
		et_program_judge(&e->commands[i], &list[i]);
		identify(e->commands[i].name, &list[i]);
	}
	if (r->svg.open && !has_curves(list, e->n_commands))
		return refuse_picture(err);
	et_programs_average(list, e->n_commands, &averages);
	if (r->given & ET_LAB_JSON)
		et_programs_json(e, list, &averages, missing, r->page.out);
	else
		et_programs_text(e, list, &averages, missing, &r->page);
	int rc = et_lab_picture(r, &svg, err);
	if (svg)
		et_programs_svg(list, e->n_commands, svg);
	return rc;
}

int et_lab_real_programs(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct et_experiment *e = NULL;
	struct programs p = { 0 };
	int rc;

	if (r->measure.from) {
		rc = et_lab_load(r, &e, err);
	} else {
		p.e = et_experiment_new();
		p.e->protocol = ET_PROTOCOL_EMP;
		rc = gather(&p, r, err);
		if (rc == 0) {
			announce(&p, r, r->measure.runs ? (uint32_t)r->measure.runs : RUNS);
			rc = et_lab_measure(r, p.e, RUNS, &e, err);
		} else {
			et_experiment_free(p.e);
		}
		et_lab_folder_remove(p.folder);
	}
	if (e) {
		int printed = print(r, e, r->measure.from ? NULL : p.missing, err);
		rc = printed ? printed : rc;
	}
	rc = et_lab_conclude(r, e, rc);
	et_experiment_free(e);
	return rc;
}
