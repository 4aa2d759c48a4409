/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Too many or too few operands of `etalon doe`. */
#include "cmd/doe.h"

#include <errno.h>
#include <string.h>

int et_doe_refuse_operands(const char *what, const char *given, bool few, struct et_error *err)
{
	const char *file = strcmp(what, "import") ? "plan" : "CSV";
	int rc = few ? et_fail(err, EINVAL, ET_EXIT_USAGE, "doe %s: name a %s file", what, file)
		     : et_fail(err, EINVAL, ET_EXIT_USAGE, "doe %s: too many operands", what);

	if (!strcmp(what, "init"))
		return et_hint(err, rc,
			"use doe init --from '%s' if that is a command, or -o FILE to name the "
			"plan",
			given);
	return et_hint(err, rc, "see 'etalon doe --help'; 'doe init' writes a first plan");
}
