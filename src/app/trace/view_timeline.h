/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace as a timeline for a terminal. One track shows how much of each stretch of time was
 * active, and one track per cause how much it took; ticks of the timer are marked on the axis, each
 * with the letter of the process that accounting by ticks would charge. Only the beginning of a
 * long trace is drawn.
 */
#pragma once

#include "draw/terminal.h"
#include "model/sample/trace.h"
#include "stats/series/trace.h"

void et_timeline_draw(
	const struct et_trace *t, const struct et_charges *charges, const struct et_page *page);
