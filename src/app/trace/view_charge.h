/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of CPU times that accounting by ticks would charge in a trace, as text and JSON. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "stats/series/trace.h"

/* The letter of a process in the table and in the timeline: A is traced; '+' has no row. */
char et_charge_letter(const struct et_charges *all, uint32_t who);
void et_charges_text(
	const struct et_trace *t, const struct et_charges *all, const struct et_page *page);
void et_charges_json(const struct et_charges *all, struct et_json *w);
