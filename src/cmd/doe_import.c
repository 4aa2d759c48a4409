/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe import`. */
#include "cmd/doe.h"

#include <errno.h>

const char *const et_doe_units[] = { "auto", "s", "ms", "us", "ns", "bytes", "count", NULL };

int et_doe_import(struct et_cli *cli, const struct et_doe_request *r, char *const *operands,
	size_t n, int *status, struct et_error *err)
{
	(void)cli;
	(void)r;
	(void)operands;
	(void)n;
	(void)status;
	return et_fail(err, ENOSYS, ET_EXIT_OUTSIDE, "doe import is not built yet");
}
