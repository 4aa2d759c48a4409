/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares output with a file in tests/unit/report/golden. To renew the files after an intended
 * change, run the tests with ET_TEST_RENEW=1 and review the difference.
 */
#pragma once

#include "base/base.h"
#include "tap.h"

static inline char *golden_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = et_calloc(1, 1 << 20);

	if (f) {
		text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
		fclose(f);
	}
	return text;
}

/* The path of a golden file; the caller frees it. */
static inline char *golden_path(const char *name)
{
	const char *data = getenv("ET_TEST_DATA");

	return et_asprintf("%s/unit/report/golden/%s", data ? data : "tests", name);
}

static inline void golden_check(const char *name, const char *text)
{
	ET_AUTO_FREE char *path = golden_path(name);

	if (getenv("ET_TEST_RENEW")) {
		FILE *f = fopen(path, "w");
		if (f) {
			fputs(text, f);
			fclose(f);
		}
	}
	ET_AUTO_FREE char *want = golden_read(path);
	if (!ok(!strcmp(text, want), "the output equals golden/%s", name))
		printf("# got:\n%s# want:\n%s", text, want);
}
