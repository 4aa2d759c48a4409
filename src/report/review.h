/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows a user who did not plan an experiment which commands resuming it would execute. */
#ifndef ET_REPORT_REVIEW_H
#define ET_REPORT_REVIEW_H

#include "model/experiment.h"
#include "report/terminal.h"

/*
 * Prints the commands as they are executed, not as the record names them, their hooks, and how
 * they run: directory, user, shell, files. Everything is cleaned for a terminal.
 */
void et_review_print(const struct et_experiment *e, const struct et_page *page);

#endif
