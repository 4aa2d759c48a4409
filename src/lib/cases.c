/* SPDX-License-Identifier: MIT */
#include "lib/cases.h"
#include "lib/kbest.h"

#include <stdlib.h>
#include <string.h>

static struct etalon_bench *list;
static size_t n_list;

/* Constructors of other files call this before main; they run one after the other. */
int etalon_register(const struct etalon_bench *bench)
{
	struct etalon_bench *grown, copy = { 0 };

	if (!bench || !bench->name || (!bench->fn && !bench->body))
		return ETALON_BAD_FUNCTION;
	if (et_kbest_size_bad(bench->sz, offsetof(struct etalon_bench, body)))
		return ETALON_BAD_SIZE;
	memcpy(&copy, bench, bench->sz < sizeof(copy) ? bench->sz : sizeof(copy));
	copy.sz = sizeof(copy);
	copy.name = strdup(bench->name);
	grown = copy.name ? reallocarray(list, n_list + 1, sizeof(*grown)) : NULL;
	if (!grown) {
		free((char *)copy.name);
		return ETALON_NO_MEMORY;
	}
	list = grown;
	list[n_list++] = copy;
	return ETALON_OK;
}

const struct etalon_bench *et_registered(size_t *n)
{
	*n = n_list;
	return list;
}
