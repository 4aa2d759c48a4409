/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables in which the EMP papers report how daemons were found: Tables VII to XIX of EMP, of
 * which Table XVI is Table 1 of SEDONA. Our long run is their INC16384, our short run their INC128.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "draw/terminal.h"
#include "model/result/precision.h"
#include "model/sample/daemon.h"

struct et_daemon_tables {
	const struct et_daemon_record *record;
	const struct et_daemon_findings *findings;
	/* Each run by elapsed and by CPU time; none for a run whose samples are not all listed. */
	const struct et_checked *checked;
	size_t n_checked;
	const struct et_checked *lengths; /* Table XIX: runs by CPU time */
	size_t n_lengths;
	unsigned wanted; /* bits of tables, as et_daemon_tables_choose makes them */
};

#define ET_DAEMON_TABLES_ALL (~0U)

/* Sets the bits of a list of numbers, "XVI,XVIII". */
int et_daemon_tables_choose(const char *list, unsigned *out, struct et_error *err) ET_CHECK;

void et_daemon_tables_text(const struct et_daemon_tables *t, const struct et_page *page);
/* The same as a part of a page. */
void et_daemon_tables_html(const struct et_daemon_tables *t, FILE *out);
/* The tables one after the other, with an empty line between them. */
void et_daemon_tables_csv(const struct et_daemon_tables *t, FILE *out);
/* Writes the key "tables": an object with a key for each. */
void et_daemon_tables_json(const struct et_daemon_tables *t, struct et_json *w);
