/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz targets: one function per parser of input from outside. A target is given any bytes, must
 * not crash, hang, leak or use much memory, and checks what must hold for input that the parser
 * accepts. driver.c mutates a corpus with every compiler; libfuzzer.c hands the same functions to
 * clang's libFuzzer.
 */
#ifndef ET_TESTS_FUZZ_H
#define ET_TESTS_FUZZ_H

#include "base/attr.h"

#include <stdbool.h>

/* A target returns 1 if the parser accepted the input, 0 if it refused it. */
typedef int fuzz_run(const uint8_t *data, size_t size);

struct fuzz_target {
	const char *name;
	fuzz_run *run;
	unsigned mutants;          /* the number that `make check` tries */
	bool binary;               /* the format has numbers of fixed width */
	bool json;                 /* the format is JSON */
	const char *const *tokens; /* words of the format, for mutations; NULL ends them */
	/* Makes the i-th input of the corpus that is not kept as a file; false after the last. */
	bool (*seed)(size_t i, char **data, size_t *size);
};

extern const struct fuzz_target fuzz_targets[]; /* a NULL name ends them */
const struct fuzz_target *fuzz_find(const char *name);

/* Ends the program if something does not hold; the driver then saves the input. */
#define FUZZ_CHECK(cond)                                                                           \
	do {                                                                                       \
		if (!(cond))                                                                       \
			fuzz_fail(__FILE__, __LINE__, #cond);                                      \
	} while (0)
void fuzz_fail(const char *file, int line, const char *what) __attribute__((noreturn));

/* Returns a copy that ends with a NUL byte. The caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Returns a folder for scratch files, which is removed when the program ends. */
const char *fuzz_scratch(void);
void fuzz_remove_scratch(void);

/* --- a machine in memory: tree.c replaces /proc, /sys and perf's ring buffers --- */

/*
 * While a tree is set, files below any root are those of the text: "@/proc/stat" on a line, then
 * the content of the file. NULL and 0 remove it.
 */
void fuzz_tree_set(const char *text, size_t size);
/* While rings are set, perf_event_open() is not called: each ring has these bytes. */
void fuzz_rings_set(const uint8_t *data, size_t size);

/* --- the targets, by the file that contains them --- */

/* text.c */
fuzz_run fuzz_words, fuzz_cpus, fuzz_numbers, fuzz_utf8, fuzz_parameters;
/* url.c */
fuzz_run fuzz_url;
/* hosts.c */
fuzz_run fuzz_hosts;
/* job.c */
fuzz_run fuzz_job;
/* probe.c */
fuzz_run fuzz_probe;
/* options.c */
fuzz_run fuzz_options;
/* plan.c */
fuzz_run fuzz_plan;
/* records.c */
fuzz_run fuzz_import, fuzz_csv, fuzz_points, fuzz_results, fuzz_series, fuzz_trace, fuzz_daemons,
	fuzz_baseline, fuzz_calibration, fuzz_slice;
/* profile.c */
fuzz_run fuzz_perf_script, fuzz_gprof, fuzz_callgrind, fuzz_folded;
/* machine.c */
fuzz_run fuzz_proc, fuzz_procstat, fuzz_services, fuzz_journal;
fuzz_run fuzz_slurm;
/* kernel.c */
fuzz_run fuzz_netlink, fuzz_perf, fuzz_samples, fuzz_sched, fuzz_account;
/* symbols.c */
fuzz_run fuzz_elf, fuzz_kallsyms, fuzz_names, fuzz_perfmap;
/* store.c */
fuzz_run fuzz_keep, fuzz_cutoffs, fuzz_store, fuzz_schema;
bool fuzz_store_seed(size_t i, char **data, size_t *size);
/* self.c: an input names the failure that it causes */
fuzz_run fuzz_self;

#endif
