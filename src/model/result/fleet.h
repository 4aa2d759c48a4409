/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines side by side: what they are, how much was measured on each, and how fast they are. */
#pragma once

#include "model/experiment/machine_row.h"
#include "model/result/warning.h"

struct et_fleet_machine {
	char id[ET_MACHINE_SIZE];
	char *name; /* that people know it by, unique in the fleet; owned */
	bool here;  /* this machine */
	struct et_host host;
	char version[32]; /* of etalon, or "" */
	uint64_t experiments, samples;
	uint64_t first_wall_ns, last_wall_ns; /* when it was seen; 0: not known */
	struct et_factor *deviations;         /* owned; the gravest first */
	size_t n_deviations;
	bool environment_known;
	/* Its times over those of the fleet, or of the reference: 1.08 is 8 % slower. NaN: none. */
	double ratio, lo, hi;
	double p_holm; /* of the same speed */
	bool differs;
	size_t n;        /* samples that the ratio is from */
	size_t sessions; /* experiments that the ratio is from */
	double noise;    /* relative sd of the samples of an experiment, the median; or NaN */
	double time_ns;  /* geometric mean of the compared programs; NaN: it lacks one */
	double *recent;  /* owned; its last experiments, each as a ratio, the oldest first */
	size_t n_recent;
};

struct et_fleet {
	struct et_fleet_machine *list; /* owned */
	size_t n, cap;
	size_t n_judged;   /* machines that were compared */
	size_t n_programs; /* by this many programs */
	size_t n_cpu;      /* the number of them that are judged by CPU time, not elapsed time */
	bool between_sessions; /* the intervals have the variation between experiments */
	double alpha;          /* of all machines together; the intervals have 1 - alpha */
	char *reference; /* the name of the machine that the ratios refer to; NULL: the fleet */
	struct et_warnings warnings;
	char **notes; /* in words; owned, NULL ends them, or NULL */
};

/* Appends a machine of which nothing is known but its identity. Valid until the next. */
struct et_fleet_machine *et_fleet_add(struct et_fleet *f, const char *id);
/* Copies the factors that are not ok. */
void et_fleet_set_environment(struct et_fleet_machine *m, const struct et_factor *list, size_t n);
/* Gives each machine its name, and adds digits of the identity to names that are not unique. */
void et_fleet_name(struct et_fleet *f);
/* Sorts by name. */
void et_fleet_sort(struct et_fleet *f);
/* Finds a machine by its name or identity; f->n: there is none. */
size_t et_fleet_find(const struct et_fleet *f, const char *name);
void et_fleet_free(struct et_fleet *f); /* what it owns */
