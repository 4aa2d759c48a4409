/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A designed experiment: which factors are varied, over which levels, and in which treatments
 * (combinations of levels). The plan file of `doe` becomes one of these; it is stored with the
 * experiment, so that the experiment can be continued and analysed without the file.
 *
 * The commands of such an experiment are the programs under each treatment: command number
 * treatment × programs + program. So a sequential order goes through the treatments in standard
 * order and runs all programs under each.
 */
#pragma once

#include "base/error.h"

/* The kinds of factors, and their number. */
enum et_kind {
#define ROW(kind, ...) ET_KIND_##kind,
#include "model/design/kind_rows.h"
#undef ROW
	ET_KINDS_OF_FACTORS,
};

/* The part of etalon that sets the level of a factor. */
enum et_kind_scope {
	ET_SCOPE_TEXT,    /* the plan: it replaces {name} in commands */
	ET_SCOPE_BUILD,   /* the plan: it replaces {name} in build commands, and in commands */
	ET_SCOPE_CHILD,   /* the child, before execve() */
	ET_SCOPE_MACHINE, /* the machine; recorded in the journal of changes and restored */
	ET_SCOPE_AROUND,  /* processes of ours beside the program */
};

enum et_level_form {
	ET_LEVEL_TEXT,
	ET_LEVEL_WHOLE,  /* a whole number of lo to hi */
	ET_LEVEL_CHOICE, /* one of the choices */
};

struct et_factor_kind {
	const char *name; /* as in plan files */
	const char *what; /* what its levels are, in one line */
	enum et_kind_scope scope;
	enum et_level_form form;
	const char *const *choices; /* NULL-terminated; of ET_LEVEL_CHOICE */
	long long lo, hi;           /* of ET_LEVEL_WHOLE */
	bool takes_variable;        /* the factor may have a key `variable` */
	const char *setting;        /* how etalon sets a level: "etalon …" */
	const char *options[2];     /* of `run`, which would set the same; or NULL */
};

extern const struct et_factor_kind et_factor_kinds[ET_KINDS_OF_FACTORS];
extern const char *const et_kind_names[]; /* NULL ends the list */

struct et_design_factor {
	char *name;
	enum et_kind kind;
	char *variable; /* of kinds about the environment, or NULL */
	char **levels;  /* NULL-terminated, as the plan spells them */
	size_t n_levels;
	char **objects;  /* of link-order: the words to order, NULL-terminated; or NULL */
	char *generator; /* of a fractional design: "a b c", the product that it equals; or NULL */
};

enum et_design_blocks {
	ET_BLOCKS_NONE,
	ET_BLOCKS_ROUND,   /* every round of runs is a block */
	ET_BLOCKS_MACHINE, /* every machine is a block: several experiments of one plan */
};
extern const char *const et_design_blocks_names[];

struct et_treatment {
	char *name;       /* "work=30000000,pad=0" */
	uint32_t *levels; /* one per factor: place in its levels */
};

struct et_design_program {
	char *name;
	char *command; /* as in the plan, with {names} */
	char *build;   /* or NULL */
	char *input;   /* file for stdin, or NULL */
};

struct et_design {
	char *name;   /* of the plan; also the label of the experiment */
	char *source; /* the text of the plan file, or NULL if there was none */
	struct et_design_factor *factors;
	size_t n_factors;
	struct et_design_program *programs;
	size_t n_programs;
	struct et_treatment
		*treatments; /* in standard (Yates) order: the first factor is fastest */
	size_t n_treatments;
	uint32_t replications, discard; /* of each program under each treatment */
	enum et_design_blocks blocks;
	char *response;                 /* name of a metric, or "profile:FUNCTION" */
	char *setup, *between, *reboot; /* hooks; each may be NULL */
};

/* A run as the plan foresees it. */
struct et_planned_run {
	uint32_t command;
	uint32_t round; /* 0: a warm-up run, which is discarded */
};

struct et_design *et_design_new(void) __attribute__((malloc, returns_nonnull));
void et_design_free(struct et_design *d); /* itself, too; NULL is fine */
struct et_design_factor *et_design_add_factor(struct et_design *d, const char *name);
struct et_design_program *et_design_add_program(struct et_design *d, const char *name);
/* Appends a treatment; levels has one place per factor and is copied. Its name is made of them. */
struct et_treatment *et_design_add_treatment(struct et_design *d, const uint32_t *levels);

/* The number of a program's command under a treatment, and back. */
static inline uint32_t et_design_command(
	const struct et_design *d, uint32_t treatment, uint32_t program)
{
	return treatment * (uint32_t)d->n_programs + program;
}
static inline uint32_t et_design_treatment_of(const struct et_design *d, uint32_t command)
{
	return command / (uint32_t)d->n_programs;
}
static inline uint32_t et_design_program_of(const struct et_design *d, uint32_t command)
{
	return command % (uint32_t)d->n_programs;
}
/* The level of a factor under the treatment of a command, as text. */
const char *et_design_level(const struct et_design *d, uint32_t command, size_t factor);
/* The function whose CPU time is the response, of "profile:FUNCTION"; NULL: it is a metric. */
const char *et_design_function(const struct et_design *d);
/* The names of the factors; NULL ends the list, which the caller frees, but not the names. */
char **et_design_factor_names(const struct et_design *d);

/* Whether text names {word}; a name after a $ is a shell's. */
bool et_design_names(const char *text, const char *word);

/* Names that stand for something else than a level. */
struct et_design_value {
	/* Returns a new text, or NULL: the name is a factor's, or unknown. */
	char *(*find)(void *ctx, const char *name);
	void *ctx;
};
/*
 * Replaces each {name} in text by what `other`, which may be NULL, says, or else by the level of
 * that factor under the treatment of a command. Unknown names are an error. The caller frees *out.
 */
int et_design_fill(const struct et_design *d, uint32_t command, const char *text,
	const struct et_design_value *other, char **out, struct et_error *err) ET_CHECK;
