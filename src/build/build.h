/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The builds of a designed experiment: `build` of a program is run once per combination of the
 * levels that it names, before anything is measured, in a folder of its own. All have paths of one
 * length, because that moves the stack. Here e needs its design and child, but no commands yet.
 */
#pragma once

#include "cli/cli.h"
#include "model/experiment/experiment.h"

/*
 * Replaces {factor} by its level, that of link-order by the ordered objects, and {build} by the
 * folder of the build. Other names are an error, but for those after a $. The caller frees *out.
 */
int et_doe_fill(const struct et_experiment *e, uint32_t command, const char *text, char **out,
	struct et_error *err) ET_CHECK;
/* Whether this machine can build with a level of a factor; those of other scopes pass. */
int et_doe_build_check(
	const struct et_design_factor *f, size_t level, struct et_error *err) ET_CHECK;

/* Returns the folder of a command's build, or NULL if its program has none. The caller frees it. */
char *et_doe_build_folder(const struct et_experiment *e, uint32_t command);
/* Makes argv[0] the build's copy, unless the command names {build} or there is only one build. */
int et_doe_build_use(const struct et_experiment *e, uint32_t command, char **argv,
	struct et_error *err) ET_CHECK;
/* Whether the build of a command is in the cache; also true if its program has no build. */
bool et_doe_build_kept(const struct et_experiment *e, uint32_t command);
/* Runs all builds; with keep, those that are not in the cache. */
int et_doe_build(struct et_cli *cli, const struct et_experiment *e, bool keep,
	struct et_error *err) ET_CHECK;

/* Reads as many of the last lines of a build's output as have room in lines. */
void et_doe_output_last(FILE *output, char *lines, size_t size);
/* Puts the first line with an error before these, if it is not one of them. */
void et_doe_output_failure(FILE *output, char *lines, size_t size);

/* The file that marks the folder of a build as complete. */
#define ET_DOE_BUILT ".etalon-built"

/* Warns of each program of which two builds are the same; e has its commands. */
void et_doe_build_compare(const struct et_experiment *e, struct et_warnings *warnings);
