/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the builds of a designed experiment are kept; used by build/build.c. */
#pragma once

#include "build/build.h"

/* The file that marks the folder of a build as complete. */
#define ET_DOE_BUILT ".etalon-built"

/* Refuses a cache of root's that others could write to: its programs run as root. */
int et_doe_folder_check(const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * Sets *product to the file that the build of a command makes and that its command runs, and *copy
 * to the copy in the folder of the build that is run instead. Both are NULL if the command names
 * {build}, or if its program has only one build. The caller frees them.
 */
int et_doe_build_product(const struct et_experiment *e, uint32_t command, char **product,
	char **copy, struct et_error *err) ET_CHECK;

/* The name of a build, such as "loop (opt=-O2)". The caller frees it. */
char *et_doe_build_name(const struct et_design *d, uint32_t command);
/* Warns of each program of which two builds are the same; e has its commands. */
void et_doe_build_compare(const struct et_experiment *e, struct et_warnings *warnings);
