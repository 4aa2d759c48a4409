/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of the factors of the environment. Each row says what the factor is, why it matters,
 * how to read it and how to change it. `env check`, `env apply`, the record of every experiment and
 * the check of the journal use this table.
 */
#pragma once

#include "base/error.h"
#include "host/daemons.h"
#include "host/machine.h"
#include "model/experiment/environment.h"

struct et_factor_row;

/* Sets state and verdict of f; leaves both as they are, unknown, if the factor cannot be read. */
typedef void et_factor_read(const struct et_machine *m, struct et_finding *f);
/* Appends the changes that give the wanted state to out, and what it cannot change to left. */
typedef void et_factor_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left);

struct et_factor_row {
	const char *name;     /* NULL ends the table */
	const char *severity; /* "high", "medium" or "low" */
	const char *wanted;   /* the state that does not disturb measurements */
	const char *why;      /* why it disturbs them, in one sentence */
	const char *fix;      /* an instruction to the user */
	et_factor_read *read;
	et_factor_plan *plan; /* NULL: etalon cannot change it, or could not restore it exactly */
	const char *paths[2]; /* the files that plan may change, with '#' for any number */
	/* Of a single setting, the only file: the value that plan writes, and the only one that
	 * disturbs; NULL: all others do. */
	const char *set, *only_bad;
	enum et_daemon_group group; /* of et_daemons_plan */
	unsigned flags;             /* of enum et_factor_flag */
};

enum et_factor_flag {
	/*
	 * The kernel adjusts the value by itself (limits follow turbo). A value that differs from
	 * the one written does not mean then that somebody else has changed it.
	 */
	ET_FACTOR_KERNEL_ADJUSTS = 1,
	/* It contradicts another factor: it is read and changed only if the user names it. */
	ET_FACTOR_ON_REQUEST = 2,
};

/* In the order in which changes are made; they are restored in the opposite order. */
extern const struct et_factor_row et_factor_rows[];
size_t et_factors_count(void); /* number of rows */
/* Returns NULL if there is no such row. */
const struct et_factor_row *et_factor_named(const char *name);

/* In what follows, selected has one element per row; NULL selects all but those on request. */
bool et_factor_selected(const bool *selected, size_t row);
/*
 * Sets selected[i] for each row i that a list such as "aslr,turbo" names; NULL selects all but
 * those on request. Refuses unknown names; the error names the option.
 */
int et_factors_select(
	const char *option, const char *list, bool *selected, struct et_error *err) ET_CHECK;

/* Reads the selected factors. et_findings_free frees out. */
void et_factors_check(const struct et_machine *m, const bool *selected, struct et_findings *out);
/* Copies the known findings; returns their number. The caller frees *out and its texts. */
size_t et_factors_record(const struct et_findings *findings, struct et_factor **out);
/* Whether the tables allow etalon to make that change: a forged journal may have others. */
bool et_factors_know(const struct et_change *c);

/* Whether the kernel adjusts the value of that change by itself. */
bool et_factors_kernel_adjusts(const struct et_change *c);

/* Replaces state and verdict of a finding; for readers. */
void et_finding_set(struct et_finding *f, enum et_verdict verdict, const char *fmt, ...)
	ET_PRINTF(3, 4);
static inline enum et_verdict et_fine_if(bool fine)
{
	return fine ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS;
}

/* Reads a setting as it is written: the chosen word of "always [madvise] never". */
ssize_t et_setting_read(const char *root, const char *path, char *buf, size_t size) ET_CHECK;

/* Lists the names such as policy0, cpu1, state2 in a folder; et_strv_free frees them. */
char **et_numbered_names(const struct et_machine *m, const char *folder, const char *prefix);
/* Whether a policy of cpufreq has that governor. */
bool et_policy_has_governor(const struct et_machine *m, const char *policy, const char *governor);

/* The readers and plans in factors_cpu.c. */
et_factor_read et_factor_turbo_read, et_factor_limits_read, et_factor_governor_read,
	et_factor_idle_read, et_factor_smt_read, et_factor_isolated_read, et_factor_thermal_read,
	et_factor_irq_read;
et_factor_plan et_factor_turbo_plan, et_factor_limits_plan, et_factor_governor_plan,
	et_factor_idle_plan;

/* Those in factors_kernel.c; et_factor_setting_… are of a single setting. */
et_factor_read et_factor_setting_read, et_factor_numa_read, et_factor_swap_read, et_factor_age_read,
	et_factor_clocksource_read, et_factor_tick_read, et_factor_quota_read,
	et_factor_virtual_read, et_factor_steal_read, et_factor_load_read;
et_factor_plan et_factor_setting_plan, et_factor_numa_plan;

/* Those in watch.c. */
et_factor_read et_factor_time_sync_read, et_factor_network_read;
et_factor_plan et_factor_time_sync_plan;
