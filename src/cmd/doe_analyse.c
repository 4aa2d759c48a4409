/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe analyse`. */
#include "cmd/doe.h"

#include <errno.h>

int et_doe_do_analyse(struct et_cli *cli, const struct et_doe_request *r, char *const *operands,
	size_t n, int *status, struct et_error *err)
{
	(void)cli;
	(void)r;
	(void)operands;
	(void)n;
	(void)status;
	return et_fail(err, ENOSYS, ET_EXIT_OUTSIDE, "doe analyse is not built yet");
}
