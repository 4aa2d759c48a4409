/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile as text, JSON, CSV, folded stacks, a file of speedscope, a flame graph and a page.
 * Names of functions and modules come from files of strangers and may contain any bytes; all
 * writers escape them.
 */
#pragma once

#include "report/text.h"
#include "stats/profile/profile.h"

/* The answer in one sentence: "fn2 has 79.8 % of the CPU time (…)". The caller frees it. */
char *et_profile_answer(const struct et_profiled *p, size_t command);

/* Prints the answer, a table and notes; verbose: all figures. Returns how many notes are left. */
size_t et_profile_text(const struct et_profiled *p, const struct et_text_options *o, FILE *out);

/*
 * ROW(name, summary for `export --help`, option of `profile` of the same name, its help, writer).
 * To add a row: also man/etalon-profile.1.scd and tests/unit/app/profile/view.c.
 */
#define ET_PROFILE_ONLY_FORMATS(ROW)                                                               \
	ROW("profile", "the functions with their uncertainty (JSON)", "json",                      \
		"write the result as JSON; - is stdout", et_profile_json)                          \
	ROW("profile-csv", "a row per function", "export-csv", "write a row per function as CSV",  \
		et_profile_csv)                                                                    \
	ROW("folded", "stacks with their mean counts", "folded",                                   \
		"write folded stacks with mean counts", et_profile_folded)                         \
	ROW("speedscope", "its JSON", "speedscope", "write a file for speedscope",                 \
		et_profile_speedscope)                                                             \
	ROW("flame", "a flame graph (SVG)", "flame",                                               \
		"write a flame graph (SVG) whose boxes show their uncertainty", et_profile_flame)

/* Other experiments have a page, too. */
#define ET_PROFILE_FORMATS(ROW)                                                                    \
	ET_PROFILE_ONLY_FORMATS(ROW)                                                               \
	ROW("html", "a page", "report", "write a page (HTML) with pictures", et_profile_page)

/* Like struct et_format (record/format.h), for profiles. */
struct et_profile_format {
	const char *name;
	void (*write)(const struct et_profiled *, FILE *);
};

extern const struct et_profile_format et_profile_formats[];               /* the last has no name */
const struct et_profile_format *et_profile_format_find(const char *name); /* or NULL */

#define ET_PROFILE_WRITER(name, summary, option, help, write)                                      \
	void write(const struct et_profiled *p, FILE *out);
ET_PROFILE_FORMATS(ET_PROFILE_WRITER)
