/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample.h"
#include "base/alloc.h"

#include <string.h>

const char *const et_arrangement_names[] = { "solo", "duet", "paced", NULL };
const char *const et_cpu_source_names[] = { "cpuacct", "cpu.stat", "wait4", NULL };
const char *const et_removed_by_names[] = { "kept", "stopped", "failed", "daemon-cutoff",
	"two-sigma", "machine-slow", NULL };
const char *const et_mark_names[] = { "lost-records", "stopped", "leftovers", "no-overlap",
	"no-exit-records", "left-control-group", "daemon-cutoff", "two-sigma", "machine-slow",
	"no-snapshot", NULL };

int et_name_index(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++) {
		if (!strcmp(names[i], name))
			return i;
	}
	return -1;
}

void et_sample_free(struct et_sample *s)
{
	free(s->measured.culprits);
	s->measured.culprits = NULL;
	s->measured.n_culprits = 0;
}

void et_sample_copy(struct et_sample *to, const struct et_sample *from)
{
	*to = *from;
	if (!from->measured.n_culprits) {
		to->measured.culprits = NULL;
		return;
	}
	to->measured.culprits =
		et_calloc(from->measured.n_culprits, sizeof(*to->measured.culprits));
	memcpy(to->measured.culprits, from->measured.culprits,
		from->measured.n_culprits * sizeof(*to->measured.culprits));
}
