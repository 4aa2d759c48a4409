/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that several targets use. */
#include "base/base.h"
#include "base/error.h"
#include "fuzz.h"

#include <string.h>

void fuzz_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status);

/* et_alloc() ends the process if memory runs out. */
void __wrap__exit(int status)
{
	if (status == ET_EXIT_OUTSIDE)
		fuzz_fail(__FILE__, __LINE__, "the target does not end the process");
	__real__exit(status);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = et_alloc(size + 1);

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static char scratch[64];

/* Called in signal handlers: only system calls. The files have these names. */
void fuzz_remove_scratch(void)
{
	static const char *const names[] = { "inc.json", "own.db", "made.db", "fuzzed.db",
		"schema.db", "proc/kallsyms", "tmp/perf-1.map" };
	static const char *const folders[] = { "proc", "tmp" };
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	char path[96];

	if (!*scratch)
		return;
	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		for (size_t k = 0; k < ET_LENGTH(suffixes); k++) {
			snprintf(path, sizeof(path), "%s/%s%s", scratch, names[i], suffixes[k]);
			unlink(path);
		}
	}
	for (size_t i = 0; i < ET_LENGTH(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", scratch, folders[i]);
		rmdir(path);
	}
	rmdir(scratch);
}

/* Files in memory are faster: /dev/shm if there is one. */
const char *fuzz_scratch(void)
{
	if (*scratch)
		return scratch;
	strcpy(scratch, "/dev/shm/etalon-fuzz-XXXXXX");
	if (!mkdtemp(scratch)) {
		strcpy(scratch, "/tmp/etalon-fuzz-XXXXXX");
		FUZZ_CHECK(mkdtemp(scratch) != NULL);
	}
	atexit(fuzz_remove_scratch);
	return scratch;
}
