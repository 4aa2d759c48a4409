/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The factors of the environment, one row each: what it is, why it matters, how it is read, how it
 * is changed. `env check`, `env apply`, the record of every run and the checks of the journal all
 * walk this table.
 */
#ifndef ET_HOST_FACTORS_H
#define ET_HOST_FACTORS_H

#include "base/error.h"
#include "host/machine.h"
#include "model/environment.h"

struct et_factor_row {
	const char *name; /* NULL ends the table */
	const char *severity;
	const char *wanted; /* unless reading says otherwise */
	const char *why;    /* one sentence */
	const char *fix;    /* what a person can do */
	/* Sets state and verdict; leaves them alone where the machine does not tell. */
	void (*read)(const struct et_machine *m, struct et_finding *f);
	/* What would change it, or NULL: from here it cannot, or not be given back exactly. */
	void (*plan)(const struct et_machine *m, const char *factor, struct et_changes *out,
		struct et_results *left);
	/* Files that plan may name; '#' stands for a number. NULL-terminated, or NULL. */
	const char *const *paths;
	/* The kernel itself moves the value (limits follow turbo): what it is now tells nothing. */
	bool wanders;
};

/* In the order in which changes are made; they are given back in the opposite one. */
extern const struct et_factor_row et_factor_rows[];

/* Names from "aslr,turbo"; NULL selects everything. Unknown names are refused. */
int et_factors_select(const char *option, const char *list, bool *selected, struct et_error *err);
size_t et_factors_count(void);

/* Reads the selected factors (NULL: all). */
void et_factors_check(const struct et_machine *m, const bool *selected, struct et_findings *out);
/* Those that are known, as they go into a record. *out is new memory, its texts too. */
size_t et_factors_record(const struct et_findings *findings, struct et_factor **out);
/* Whether etalon could have made that change: a journal may lie. */
bool et_factors_know(const struct et_change *c);

/* Whether that change's value moves without anybody's doing. */
bool et_factors_wander(const struct et_change *c);

/* For the readers: replaces state and verdict, or what is wanted. */
void et_finding_set(struct et_finding *f, enum et_verdict verdict, const char *fmt, ...)
	ET_PRINTF(3, 4);
void et_finding_want(struct et_finding *f, const char *fmt, ...) ET_PRINTF(2, 3);

/* The value of a file as it would have to be written: of "always [madvise] never" the chosen. */
ssize_t et_setting_read(const char *root, const char *path, char *buf, size_t size);

/* Readers and plans, by file. */
void et_turbo_read(const struct et_machine *m, struct et_finding *f);
void et_limits_read(const struct et_machine *m, struct et_finding *f);
void et_governor_read(const struct et_machine *m, struct et_finding *f);
void et_idle_read(const struct et_machine *m, struct et_finding *f);
void et_smt_read(const struct et_machine *m, struct et_finding *f);
void et_isolated_read(const struct et_machine *m, struct et_finding *f);
void et_thermal_read(const struct et_machine *m, struct et_finding *f);
void et_irq_read(const struct et_machine *m, struct et_finding *f);
void et_turbo_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_limits_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_governor_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_idle_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);

void et_aslr_read(const struct et_machine *m, struct et_finding *f);
void et_huge_pages_read(const struct et_machine *m, struct et_finding *f);
void et_numa_read(const struct et_machine *m, struct et_finding *f);
void et_swap_read(const struct et_machine *m, struct et_finding *f);
void et_age_read(const struct et_machine *m, struct et_finding *f);
void et_clocksource_read(const struct et_machine *m, struct et_finding *f);
void et_tick_read(const struct et_machine *m, struct et_finding *f);
void et_quota_read(const struct et_machine *m, struct et_finding *f);
void et_virtual_read(const struct et_machine *m, struct et_finding *f);
void et_stolen_read(const struct et_machine *m, struct et_finding *f);
void et_load_read(const struct et_machine *m, struct et_finding *f);
void et_delayacct_read(const struct et_machine *m, struct et_finding *f);
void et_aslr_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_huge_pages_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_numa_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_delayacct_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);

#endif
