/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How several commands compare, as part of the text: one line a contrast, then all in a table. */
#ifndef ET_REPORT_COMPARISON_H
#define ET_REPORT_COMPARISON_H

#include "model/result.h"
#include "report/terminal.h"

/* Begins with an empty line; writes nothing when there is nothing to compare. */
void et_comparison(const struct et_judgement *j, const struct et_page *page, bool verbose);

#endif
