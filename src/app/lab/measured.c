/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/experiments.h"
#include "base/alloc.h"
#include "base/display.h"
#include "conduct/measuring.h"
#include "measure/child/child.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>

int et_lab_measure(struct et_lab_request *r, struct et_experiment *e, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err)
{
	e->label = r->measure.label ? et_strdup(r->measure.label) : et_asprintf("lab %s", r->name);
	e->plan.order = ET_ORDER_RANDOM;
	e->plan.runs = (uint32_t)(r->measure.runs ? r->measure.runs : usual_runs);
	e->plan.seed = r->simulation.seed;
	e->plan.pace = r->given & ET_LAB_PACE;
	return et_measure(r->cli, r->interrupt, e, NULL, NULL, out, err);
}

void et_lab_announce(
	const struct et_lab_request *r, size_t n, const char *what, uint32_t runs, double seconds)
{
	bool hours = seconds >= 7200, minutes = seconds >= 120;

	if (r->cli->verbosity >= 0)
		et_say(stderr, "etalon: %zu %s, %" PRIu32 " runs each: about %.*f %s\n", n, what,
			runs, hours ? 1 : 0,
			minutes ? seconds / (hours ? 3600 : 60) : fmax(1, seconds),
			hours     ? "h"
			: minutes ? "min"
				  : "s");
}

/* Debian installs games in a folder that is not in every PATH. */
char *et_lab_find(const char *program)
{
	const char *path = getenv("PATH");
	ET_AUTO_FREE char *where =
		et_asprintf("%s:/usr/games", path && *path ? path : "/usr/local/bin:/usr/bin:/bin");
	char *found = NULL;

	return et_child_resolve(program, where, NULL, &found, NULL) ? NULL : found;
}

char *et_lab_task(uint64_t length_ns)
{
	return et_asprintf("INC%.6g", 1e-9 * (double)length_ns);
}

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
