/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our results for one case of the oracle, under the oracle's names. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct answer {
	char path[64];
	double *v;
	size_t n;
	bool omitted;      /* not compared in this case */
	bool custom, pass; /* compared already, by a rule that the tolerances state in words */
};

struct answers {
	struct answer *a;
	size_t n, cap;
	double scale; /* of the data; some tolerances are relative to it */
};

/* Returns false if the kind is unknown. */
bool answer_case(
	const char *kind, const json_t *input, const json_t *expect, struct answers *answers);
const struct answer *find_answer(const struct answers *answers, const char *path);
void free_answers(struct answers *answers);

/* The functions that compute results add them with these. */
void put(struct answers *to, double v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void put_array(struct answers *to, const double *v, size_t n, const char *path);
void put_pair(struct answers *to, double lo, double hi, const char *path);
void put_judged(struct answers *to, bool pass, const char *path);
void put_omitted(struct answers *to, const char *path);
/* Returns the numbers of a JSON array, or of a single number. The caller frees them. */
double *numbers(const json_t *v, size_t *n);

void answer_bootstrap(const json_t *input, const json_t *expect, struct answers *to);
void answer_regression(const json_t *input, struct answers *to);
void answer_factorial(const json_t *input, const json_t *expect, struct answers *to);
void answer_complexity(const json_t *input, const json_t *expect, struct answers *to);
