/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A probe describes a machine to the etalon that wants to use it. `etalon task --probe` writes it
 * there, and preflight.h judges it here, without trusting it.
 */
#pragma once

#include "cli/cli.h"
#include "model/experiment/environment.h"

struct et_node_probe {
	char *node; /* as the engine names it; not part of the text */
	/* Why there is no answer: 0, or -errno with `err`. The rest is valid only if it is 0. */
	int rc;
	struct et_error err;
	uint64_t sent_wall_ns, got_wall_ns; /* by the clock here: the answer was made in between */

	char *machine; /* its identity */
	char *version; /* of etalon there */
	int64_t schema;
	uint64_t wall_ns; /* by the clock there */
	struct et_host host;
	struct et_factor *factors;
	size_t n_factors;
	bool asked_store, reached_store;
	char *store_error; /* why it cannot reach the store, or NULL */
	/* Its clock less that of the store's server, and by how much that may be wrong. */
	bool has_store_clock;
	int64_t store_offset_ns;
	uint64_t store_doubt_ns;
};

/* Writes the probe of this machine, and whether it reaches the store url, unless that is NULL. */
int et_task_probe(const char *url, FILE *out, struct et_error *err) ET_CHECK;

/* Reads a probe. Texts are limited; unknown keys are ignored. On failure p is as before. */
int et_probe_read(
	const char *text, size_t n, struct et_node_probe *p, struct et_error *err) ET_CHECK;
void et_probe_free(struct et_node_probe *p); /* what it owns, not itself */
