/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a plan from memory. */
#pragma once

#include "plan/plan.h"
#include "tap.h"

static inline int read_bytes(
	const char *text, size_t size, struct et_plan_file *out, struct et_error *err)
{
	FILE *in = fmemopen((void *)text, size ? size : 1, "r");

	if (!in)
		tap_bail("fmemopen");
	if (!size)
		getc(in);
	int rc = et_plan_read(in, "p", out, err);
	fclose(in);
	return rc;
}

static inline int read_plan(const char *text, struct et_plan_file *out, struct et_error *err)
{
	return read_bytes(text, strlen(text), out, err);
}
