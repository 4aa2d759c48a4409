/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of the server of a central store. */
#include "store/core/handle.h"
#include "store/core/schema.h"

#include <errno.h>

int et_store_schema_version(void)
{
	return et_store_schema.version;
}

int et_store_clock(struct et_store *s, int64_t *wall_ns, struct et_error *err)
{
	const struct et_database_ops *ops = s->db->ops;
	struct et_statement *st = NULL;
	struct et_value value;

	if (!s->db->central)
		return et_fail(
			err, ENOTSUP, ET_EXIT_USAGE, "%s is a file and has no clock", s->db->name);
	int rc = ops->prepare(s->db,
		"SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", &st, err);
	if (rc)
		return rc;
	rc = ops->step(st, err);
	if (rc > 0) {
		ops->column(st, 0, &value);
		if (value.kind == ET_VALUE_INT && value.integer > 0 &&
			value.integer < INT64_MAX / 1000)
			*wall_ns = value.integer * 1000;
		else
			rc = 0;
	}
	if (rc == 0)
		rc = et_fail(err, EPROTO, ET_EXIT_OUTSIDE, "%s did not tell its time", s->db->name);
	ops->finalize(st);
	return rc < 0 ? rc : 0;
}
