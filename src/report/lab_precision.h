/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of precision like those of the EMP papers: by version, by clock, by program. */
#ifndef ET_REPORT_LAB_PRECISION_H
#define ET_REPORT_LAB_PRECISION_H

#include "model/experiment.h"
#include "model/precision.h"
#include "report/terminal.h"

/* list has one entry a command of the experiment. */
void et_versions_text(
	const struct et_experiment *e, const struct et_versions *list, const struct et_page *page);
void et_versions_json(const struct et_experiment *e, const struct et_versions *list, FILE *out);
void et_clock_methods_text(const struct et_experiment *e, const struct et_clock_methods *list,
	const struct et_page *page);
void et_clock_methods_json(
	const struct et_experiment *e, const struct et_clock_methods *list, FILE *out);
/* missing: programs that are not installed here, NULL ends them; NULL: nobody looked. */
void et_programs_text(const struct et_experiment *e, const struct et_counted *list,
	const char *const *missing, const struct et_page *page);
void et_programs_json(const struct et_experiment *e, const struct et_counted *list,
	const char *const *missing, FILE *out);

#endif
