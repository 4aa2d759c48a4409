/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/seen.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "host/factors.h"
#include "store/core/machines.h"

#include <string.h>

static const char *const severities[] = { "high", "medium", "low" };

/* Factors that the table does not have, such as those of the user's own, come last. */
static const char *severity_of(const char *factor)
{
	for (size_t i = 0; i < et_factors_count(); i++) {
		if (!strcmp(et_factor_rows[i].name, factor))
			return et_factor_rows[i].severity;
	}
	return "low";
}

int et_session_record_machine(
	struct et_store *store, const struct et_experiment *e, struct et_error *err)
{
	uint64_t now = et_clock_read_ns(CLOCK_REALTIME);
	ET_AUTO_FREE struct et_factor *list = et_calloc(e->n_environment + 1, sizeof(*list));
	struct et_machine_row row = { .first_wall_ns = now,
		.last_wall_ns = now,
		.version = ET_VERSION,
		.host = e->host,
		.deviations = list,
		.environment_known = e->n_environment > 0 };

	if (!*e->machine)
		return 0;
	snprintf(row.id, sizeof(row.id), "%s", e->machine);
	for (size_t k = 0; k < ET_LENGTH(severities); k++) {
		for (size_t i = 0; i < e->n_environment; i++) {
			const struct et_factor *f = &e->environment[i];
			if (!f->ok && !strcmp(severity_of(f->factor), severities[k]))
				list[row.n_deviations++] = *f;
		}
	}
	return et_store_put_machine(store, &row, err);
}
