/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `etalon profile`. */
#pragma once

#include "app/profile/view.h"
#include "app/run/run.h"

/* Bits of options that were given, beside those of enum et_run_given. */
enum et_profile_given {
	ET_GIVEN_TOP = 1 << 16,
	ET_GIVEN_LEVEL = 1 << 17,
};

struct et_profile_command {
	struct et_run_options run; /* the first member, so that its rows of options fill it */
	struct et_profile_plan plan;
	struct et_profile_options view;
	const char *event;    /* NULL: auto */
	bool each;            /* each row at the level by itself */
	const char *from;     /* the first file to read, or a kept profile; NULL: measure */
	int format;           /* of these files: position in et_profile_format_names */
	struct et_each calls; /* NAME=N */
	bool count_calls;     /* --calls without a value */
};

/*
 * Judges a profile, prints it to `text` and writes its files; `more` are warnings of the session,
 * or NULL. *left is the number of notes left out. Returns the exit status.
 */
int et_profile_conclude(struct et_profile_command *p, const struct et_cli *cli,
	struct et_experiment *e, const struct et_warnings *more, FILE *text, size_t *left) ET_CHECK;
/* Reads the files of --from and the operands, and shows them. Returns the exit status. */
int et_profile_show_files(
	struct et_cli *cli, struct et_profile_command *p, const struct et_operands *ops) ET_CHECK;
