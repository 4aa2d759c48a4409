/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that lab measured inside its own process, as `show` prints them. */
#include "lab/old_series.h"
#include "source/kind.h"

#include <string.h>

/* Figures of lab are times and constants of one process: only its tables give them a meaning. */
static int print(const struct et_cli *cli, const struct et_stored *s,
	const struct et_text_options *o, size_t *left, struct et_error *err)
{
	const struct et_experiment *e = s->experiment;
	const char *label = e->label && !strncmp(e->label, "lab ", 4) ? e->label : "lab NAME";

	(void)cli;
	(void)o;
	(void)err;
	*left = 0;
	printf("times and constants that lab measured, no programs; for its tables run\n"
	       "etalon %s --from %s\n",
		label, e->id);
	return 0;
}

static bool is_lab(const struct et_experiment *e)
{
	return e->n_figures || et_old_series_only(e);
}

const struct et_stored_kind et_kind_lab = {
	.is = is_lab,
	.more = true, /* the formats of plain experiments */
	.print = print,
};
