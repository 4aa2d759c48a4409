/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz targets: one function per parser of input from outside. A target is given any bytes, must
 * not crash, hang, leak or use much memory, and checks what must hold for input that the parser
 * accepts. driver.c mutates a corpus with every compiler; libfuzzer.c hands the same functions to
 * clang's libFuzzer.
 */
#pragma once

#include "base/base.h"

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
	const char *input, *holds; /* what it reads, and what must hold if the parser accepts it */
};

/*
 * Defines a target beside its function, and adds it to the list of all, which the linker collects:
 * FUZZ_TARGET(words) = { "words", fuzz_words, 20000, … };
 */
#define FUZZ_TARGET(id)                                                                            \
	static const struct fuzz_target target_##id;                                               \
	__attribute__((section("fuzz_rows"),                                                       \
		used)) static const struct fuzz_target *const row_##id = &target_##id;             \
	static const struct fuzz_target target_##id

/* All targets: from the first up to the end. */
extern const struct fuzz_target *const fuzz_first[] __asm__("__start_fuzz_rows");
extern const struct fuzz_target *const fuzz_end[] __asm__("__stop_fuzz_rows");
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

/* Words of JSON and CSV; NULL ends them. */
extern const char *const fuzz_json_tokens[], *const fuzz_csv_tokens[];
/* Words of one target. */
#define TOKENS(...)                                                                                \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
