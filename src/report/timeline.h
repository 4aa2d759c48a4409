/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace as lanes of a terminal: how much of each stretch of time was active and how much each
 * cause took, with the timer's ticks on the axis. Of a long trace, the beginning.
 */
#ifndef ET_REPORT_TIMELINE_H
#define ET_REPORT_TIMELINE_H

#include "model/trace.h"
#include "report/terminal.h"

void et_timeline_draw(const struct et_trace *t, const struct et_page *page);

#endif
