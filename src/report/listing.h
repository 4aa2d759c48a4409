/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of stored experiments, as JSON or as a table that is fitted to the width of the page. */
#pragma once

#include "base/json.h"
#include "draw/table.h"
#include "model/experiment/experiment.h"

struct et_listing {
	uint64_t now_wall_ns; /* a start on the same day is printed as a time, others as a date */
	struct et_table table;
};

/* Appends an experiment; texts are copied. The mark, before its command, is that of its kind. */
void et_listing_add(struct et_listing *l, const struct et_summary *s, const char *mark);
/* Prints the table and frees it; nothing if the list is empty. */
void et_listing_text(struct et_listing *l, const struct et_page *page);

/* In local time: the time of day if it was today, else the date, with the year if not this one. */
void et_listing_when(uint64_t wall_ns, uint64_t now_ns, char buf[24]);
/* Writes such a time as RFC 3339, or null for 0, in a row of fields (ET_KEY_BY). */
void et_time_json(struct et_json *w, const char *key, const void *wall_ns);

/* Writes one experiment as an object of the array that is open in w. */
void et_listing_json(const struct et_summary *s, struct et_json *w);
