/* SPDX-License-Identifier: MIT */
/* The table of all cases as cells of clean text, which is printed in columns or as Markdown. */
#pragma once

#include "lib/bench/output.h"

struct et_bench_column {
	char *title;
	bool right;    /* aligned to the right */
	unsigned rank; /* 0: always shown; the column of the highest rank is omitted first */
	bool omitted;
	char **cells; /* one per row; NULL: empty */
};

struct et_bench_columns {
	struct et_bench_column *list;
	size_t n, room, rows;
};

void et_bench_columns_make(const struct et_bench_results *r, struct et_bench_columns *out);
void et_bench_columns_free(struct et_bench_columns *c);

/* "23.5 G", "512 ": a number with a prefix of the SI for the unit that follows. */
enum { ET_BENCH_TEXT = 48 };
const char *et_bench_si(double x, char buf[ET_BENCH_TEXT]);
