/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queries and controls units of systemd. It runs systemctl without a shell, with a fixed
 * environment and a timeout, and does not trust what systemctl prints.
 */
#pragma once

#include "base/error.h"

enum et_unit_state {
	ET_UNIT_UNKNOWN,  /* systemd does not run or does not answer */
	ET_UNIT_ABSENT,   /* the unit does not exist or is masked */
	ET_UNIT_INACTIVE, /* stopped or failed */
	ET_UNIT_ACTIVE,
	ET_UNIT_CHANGING, /* activating, deactivating, or a job is queued */
};

/* The properties of a unit. */
struct et_service {
	enum et_unit_state state;
	char id[128]; /* the primary name, even if queried by an alias; "" without an answer */
	char stops_with[1024];    /* units that stop when it stops, separated by spaces */
	char triggered_by[1024];  /* sockets, paths and timers that start it, likewise */
	const char *irreversible; /* why it must not be stopped, or NULL */
};

/* Whether a unit has a name with that suffix (".timer"). */
bool et_unit_is(const char *unit, const char *suffix);
/* Parses what `systemctl show` printed about n units. Units that are missing become UNKNOWN. */
void et_services_parse(const char *text, size_t n, struct et_service *out);
/* Queries n units. If program is NULL or fails, all of them are ET_UNIT_UNKNOWN. */
void et_services_read(
	const char *program, const char *const *units, size_t n, struct et_service *out);
enum et_unit_list {
	ET_UNITS_ENABLED, /* that systemd starts by itself: services, sockets, paths and timers */
	ET_UNITS_ACTIVE,  /* of the same kinds */
	ET_UNITS_WANTED,  /* that `unit` needs or wants, directly or through others, and itself */
};
/* One name per line. Returns NULL if program is NULL or fails. The caller frees the text. */
char *et_services_list(const char *program, enum et_unit_list which, const char *unit);
/* Runs `PROGRAM VERB UNIT`; verb is "start", "stop" or "reset-failed". -ENOTSUP without program. */
int et_service_control(
	const char *program, const char *verb, const char *unit, struct et_error *err) ET_CHECK;
