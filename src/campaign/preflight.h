/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of all nodes before anything runs on them. */
#pragma once

#include "campaign/probe.h"
#include "draw/terminal.h"
#include "engine/engine.h"

/* Clocks that differ by more would put the samples of a campaign in a wrong order. */
#define ET_PREFLIGHT_CLOCK_NS INT64_C(2000000000)

enum et_preflight_kind { ET_PREFLIGHT_NOTE, ET_PREFLIGHT_WARNING, ET_PREFLIGHT_ERROR };

struct et_preflight_finding {
	enum et_preflight_kind kind;
	char *text;
	char *cure; /* or NULL */
};

/* A factor of the environment that is not the same on all machines. */
struct et_preflight_difference {
	char *factor;
	char *usual;  /* the value on most machines */
	char *others; /* "n3, n4: off; n7: 1" */
};

struct et_preflight {
	size_t n_answered;
	struct et_preflight_finding *findings;
	size_t n_findings, room_findings;
	struct et_preflight_difference *differences;
	size_t n_differences, room_differences;
	int rc; /* 0: the campaign can begin; else -errno with err, the first error */
	struct et_error err;
};

/* Judges the answers of n nodes by the version and the schema of this etalon. Pure. */
void et_preflight_judge(const struct et_node_probe *probes, size_t n, const char *version,
	int64_t schema, struct et_preflight *out);
void et_preflight_free(struct et_preflight *p); /* what it owns, not itself */
/* Prints all but the first error, which the command ends with. */
void et_preflight_print(const struct et_preflight *p, const struct et_page *page);

struct et_preflight_setup {
	char *const *nodes; /* NULL ends them */
	const char *etalon; /* the path on the nodes: et_engine_setup.etalon */
	const char *store;  /* URL of the central store without a password, or NULL */
};

/* Probes all nodes, prints the judgement, and returns 0 if the campaign can begin. */
int et_preflight(const struct et_cli *cli, struct et_engine *engine,
	const struct et_preflight_setup *setup, FILE *out, struct et_error *err) ET_CHECK;
