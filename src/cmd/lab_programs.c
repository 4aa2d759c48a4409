/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab real-programs`: whole programs with inputs of several sizes, in their own folder. */
#include "base/alloc.h"
#include "cmd/lab_experiments.h"
#include "cmd/lab_measured.h"
#include "measure/child.h"
#include "protocol/precision.h"
#include "put/subject.h"
#include "report/lab_precision.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_SUBJECTS = 32 };

/* The programs to measure and their inputs. */
struct programs {
	char *folder; /* of the inputs; removed afterwards */
	const char *missing[MOST_SUBJECTS];
	struct et_experiment *e; /* owned until it is measured */
};

static int make_folder(struct programs *p, struct et_error *err)
{
	const char *parent = getenv("TMPDIR");

	p->folder = et_asprintf("%s/etalon-lab.XXXXXX", parent && *parent ? parent : "/tmp");
	if (mkdtemp(p->folder))
		return 0;
	int rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, p->folder);
	free(p->folder);
	p->folder = NULL;
	return rc;
}

static void remove_folder(const char *folder)
{
	DIR *d = folder ? opendir(folder) : NULL;

	for (struct dirent *f = d ? readdir(d) : NULL; f; f = readdir(d))
		unlinkat(dirfd(d), f->d_name, 0); /* fails for "." and ".." */
	if (d)
		closedir(d);
	if (folder)
		rmdir(folder);
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

static int add_sizes(struct programs *p, const struct et_lab_request *r, const struct et_subject *s,
	const char *program, struct et_error *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < ET_SUBJECT_SIZES; i++) {
		if (r->measure.sizes && !(r->measure.sizes >> i & 1))
			continue;
		rc = et_subject_prepare(s, i, p->folder, err);
		ET_AUTO_FREE char *line = et_subject_command(s, i, program, p->folder);
		if (rc == 0)
			rc = et_lab_add_command(
				p->e, et_asprintf("%s %" PRIu64, s->name, s->sizes[i]), line, err);
	}
	return rc;
}

static int gather(struct programs *p, const struct et_lab_request *r, struct et_error *err)
{
	size_t n_missing = 0;
	char exe[4096];
	int rc = et_cli_own_path(exe, sizeof(exe), err);

	if (rc == 0)
		rc = make_folder(p, err);
	for (size_t i = 0; rc == 0 && et_subjects[i].name; i++) {
		const struct et_subject *s = &et_subjects[i];
		if (r->measure.programs && !(r->measure.programs >> i & 1))
			continue;
		ET_AUTO_FREE char *program = s->program ? find(s->program) : et_strdup(exe);
		if (program)
			rc = add_sizes(p, r, s, program, err);
		else
			p->missing[n_missing++] = s->name;
	}
	if (rc == 0 && !p->e->n_commands)
		rc = et_fail(
			err, ENOENT, ET_EXIT_ENVIRONMENT, "none of these programs is installed");
	return rc;
}

int et_lab_real_programs(struct et_lab_request *r, struct et_error *err)
{
	struct et_experiment *e = NULL;
	struct programs p = { 0 };
	int rc;

	if (r->measure.from) {
		rc = et_lab_load(r, &e, err);
	} else {
		p.e = et_experiment_new();
		p.e->protocol = ET_PROTOCOL_EMP;
		rc = gather(&p, r, err);
		if (rc == 0)
			rc = et_lab_measure(r, p.e, 10, &e, err);
		else
			et_experiment_free(p.e);
		remove_folder(p.folder);
	}
	if (e) {
		const char *const *missing = r->measure.from ? NULL : p.missing;
		struct et_program_averages averages;
		ET_AUTO_FREE struct et_program_precision *list =
			et_calloc(e->n_commands, sizeof(*list));
		for (size_t i = 0; i < e->n_commands; i++)
			et_program_judge(&e->commands[i], &list[i]);
		et_programs_average(list, e->n_commands, &averages);
		if (r->given & ET_LAB_JSON)
			et_programs_json(e, list, &averages, missing, r->page.out);
		else
			et_programs_text(e, list, &averages, missing, &r->page);
	}
	rc = et_lab_conclude(r, e, false, rc); /* its inputs are gone */
	et_experiment_free(e);
	free(p.folder);
	return rc;
}
