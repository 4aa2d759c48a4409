/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/field.h"

#define FIELD(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct et_sample, name)                                            \
	}

const struct et_field et_fields[] = {
	FIELD(et_ns),
	FIELD(pt_ns),
	FIELD(user_ns),
	FIELD(system_ns),
	FIELD(wait_ns),
	FIELD(blocked_ns),
	FIELD(steal_ns),
	FIELD(max_rss_bytes),
	FIELD(voluntary_switches),
	FIELD(involuntary_switches),
	FIELD(cpu_migrations),
	FIELD(major_faults),
	FIELD(minor_faults),
	{ NULL, 0 },
};

const size_t et_fields_of_time = 8;
