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
	bool kernel_adjusts;
};

/* In the order in which changes are made; they are given back in the opposite one. */
extern const struct et_factor_row et_factor_rows[];

/* Names from "aslr,turbo"; NULL selects everything. Unknown names are refused. */
int et_factors_select(
	const char *option, const char *list, bool *selected, struct et_error *err) ET_CHECK;
size_t et_factors_count(void);

/* Reads the selected factors (NULL: all). */
void et_factors_check(const struct et_machine *m, const bool *selected, struct et_findings *out);
/* Those that are known, as they go into a record. *out is new memory, its texts too. */
size_t et_factors_record(const struct et_findings *findings, struct et_factor **out);
/* Whether etalon could have made that change: a journal may lie. */
bool et_factors_know(const struct et_change *c);

/* Whether that change's value moves without anybody's doing. */
bool et_factors_kernel_adjusts(const struct et_change *c);

/* For the readers: replaces state and verdict. */
void et_finding_set(struct et_finding *f, enum et_verdict verdict, const char *fmt, ...)
	ET_PRINTF(3, 4);

/* The value of a file as it would have to be written: of "always [madvise] never" the chosen. */
ssize_t et_setting_read(const char *root, const char *path, char *buf, size_t size) ET_CHECK;

/* Readers and plans, by file. */
void et_factor_turbo_read(const struct et_machine *m, struct et_finding *f);
void et_factor_limits_read(const struct et_machine *m, struct et_finding *f);
void et_factor_governor_read(const struct et_machine *m, struct et_finding *f);
void et_factor_idle_read(const struct et_machine *m, struct et_finding *f);
void et_factor_smt_read(const struct et_machine *m, struct et_finding *f);
void et_factor_isolated_read(const struct et_machine *m, struct et_finding *f);
void et_factor_thermal_read(const struct et_machine *m, struct et_finding *f);
void et_factor_irq_read(const struct et_machine *m, struct et_finding *f);
void et_factor_turbo_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_factor_limits_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_factor_governor_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_factor_idle_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);

void et_factor_aslr_read(const struct et_machine *m, struct et_finding *f);
void et_factor_huge_pages_read(const struct et_machine *m, struct et_finding *f);
void et_factor_numa_read(const struct et_machine *m, struct et_finding *f);
void et_factor_swap_read(const struct et_machine *m, struct et_finding *f);
void et_factor_age_read(const struct et_machine *m, struct et_finding *f);
void et_factor_clocksource_read(const struct et_machine *m, struct et_finding *f);
void et_factor_tick_read(const struct et_machine *m, struct et_finding *f);
void et_factor_quota_read(const struct et_machine *m, struct et_finding *f);
void et_factor_virtual_read(const struct et_machine *m, struct et_finding *f);
void et_factor_steal_read(const struct et_machine *m, struct et_finding *f);
void et_factor_load_read(const struct et_machine *m, struct et_finding *f);
void et_factor_delayacct_read(const struct et_machine *m, struct et_finding *f);
void et_factor_aslr_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_factor_huge_pages_plan(const struct et_machine *m, const char *factor,
	struct et_changes *out, struct et_results *left);
void et_factor_numa_plan(const struct et_machine *m, const char *factor, struct et_changes *out,
	struct et_results *left);
void et_factor_delayacct_plan(const struct et_machine *m, const char *factor,
	struct et_changes *out, struct et_results *left);

#endif
