/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/sample.h"
#include "base/alloc.h"
#include "model/result/warning.h"

#include <string.h>

const char *const et_arrangement_names[] = { "solo", "duet", "paced", NULL };
const char *const et_cpu_source_names[] = { "cpuacct", "cpu.stat", "wait4", NULL };
const char *const et_removed_by_names[] = { "kept", "stopped", "failed", "daemon-cutoff",
	"two-sigma", "machine-slow", NULL };

/* ROW(mark, name, warning) */
#define MARKS(ROW)                                                                                 \
	ROW(LOST_RECORDS, "lost-records", ET_WARN_LOST_RECORDS)                                    \
	ROW(STOPPED, "stopped", ET_WARN_STOPPED)                                                   \
	ROW(LEFTOVERS, "leftovers", ET_WARN_LEFTOVERS)                                             \
	ROW(NO_OVERLAP, "no-overlap", -1)                                                          \
	ROW(NO_EXITS, "no-exit-records", -1)                                                       \
	ROW(ESCAPED, "left-control-group", -1)                                                     \
	ROW(DAEMON, "daemon-cutoff", -1)                                                           \
	ROW(TWO_SIGMA, "two-sigma", -1)                                                            \
	ROW(MACHINE_SLOW, "machine-slow", -1)                                                      \
	ROW(NO_SNAPSHOT, "no-snapshot", ET_WARN_NO_SNAPSHOT)
#define MARK_ROW(mark, name, warning) { ET_MARK_##mark, name, warning },
#define MARK_NAME(mark, name, warning) name,

const struct et_mark_row et_mark_rows[ET_MARKS] = { MARKS(MARK_ROW) };
const char *const et_mark_names[] = { MARKS(MARK_NAME) NULL };

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
	et_profile_run_free(s->measured.profile);
	s->measured.profile = NULL;
}

void et_sample_copy(struct et_sample *to, const struct et_sample *from)
{
	*to = *from;
	to->measured.profile = et_profile_run_copy(from->measured.profile);
	if (!from->measured.n_culprits) {
		to->measured.culprits = NULL;
		return;
	}
	to->measured.culprits =
		et_calloc(from->measured.n_culprits, sizeof(*to->measured.culprits));
	memcpy(to->measured.culprits, from->measured.culprits,
		from->measured.n_culprits * sizeof(*to->measured.culprits));
}
