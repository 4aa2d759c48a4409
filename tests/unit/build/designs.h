/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A design of one program with two factors of two levels, and folders for its builds. */
#pragma once

#include "base/base.h"
#include "base/parse.h"
#include "build/build.h"
#include "tap.h"

#include <errno.h>
#include <sys/stat.h>

static char work[] = "/tmp/etalon-builds-XXXXXX"; /* the folder of the experiment */

static inline char **words(const char *a, const char *b, const char *c)
{
	const char *const given[] = { a, b, c };
	char **list = et_calloc(4, sizeof(*list));

	for (size_t i = 0; i < 3 && given[i]; i++)
		list[i] = et_strdup(given[i]);
	return list;
}

static inline struct et_design_factor *add_factor(
	struct et_design *d, const char *name, enum et_kind kind, const char *low, const char *high)
{
	struct et_design_factor *f = et_design_add_factor(d, name);

	f->kind = kind;
	f->levels = words(low, high, NULL);
	f->n_levels = 2;
	return f;
}

/* The commands are (opt, n): 0 (-O0, 1), 1 (-O2, 1), 2 (-O0, 9), 3 (-O2, 9). */
static inline void begin(struct et_experiment *e, const char *build, const char *command)
{
	struct et_design *d = et_design_new();

	*e = (struct et_experiment){ .design = d, .child = { .directory = work } };
	add_factor(d, "opt", ET_KIND_OPTIMISATION, "-O0", "-O2");
	add_factor(d, "n", ET_KIND_PARAMETER, "1", "9");
	struct et_design_program *p = et_design_add_program(d, "loop");
	p->command = et_strdup(command);
	p->build = build ? et_strdup(build) : NULL;
	for (uint32_t i = 0; i < 4; i++)
		et_design_add_treatment(d, (uint32_t[]){ i % 2, i / 2 });
}

static inline void end(struct et_experiment *e)
{
	et_design_free(e->design);
	e->design = NULL;
}

/* A cache with a space in its path, as homes may have. */
static inline void use_folders(void)
{
	if (!mkdtemp(work))
		tap_bail("no folder in /tmp");
	ET_AUTO_FREE char *cache = et_asprintf("%s/a cache", work);
	setenv("XDG_CACHE_HOME", cache, 1);
}

static inline void remove_folders(void)
{
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", work);

	if (system(text))
		printf("# %s is left\n", work);
}
