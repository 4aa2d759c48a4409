/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of several commands as text: one paragraph per pair, then a table of all. */
#ifndef ET_REPORT_COMPARISON_H
#define ET_REPORT_COMPARISON_H

#include "model/result.h"
#include "report/terminal.h"

/* Prints an empty line and the comparison; nothing if there is a single command. */
void et_comparison(const struct et_judgement *j, const struct et_page *page, bool verbose);

#endif
