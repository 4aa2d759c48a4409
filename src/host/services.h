/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The service manager, through its program: systemctl is run without a shell, with an environment
 * of its own and a deadline. What it prints is parsed as a stranger's text.
 */
#ifndef ET_HOST_SERVICES_H
#define ET_HOST_SERVICES_H

#include "base/error.h"

enum et_unit_state {
	ET_UNIT_UNKNOWN,  /* nobody to ask, or no answer */
	ET_UNIT_ABSENT,   /* no such unit, or one that nobody may start */
	ET_UNIT_INACTIVE, /* stopped or failed */
	ET_UNIT_ACTIVE,
	ET_UNIT_CHANGING, /* on its way up or down, or about to be */
};

/* What systemd says of a unit. */
struct et_service {
	enum et_unit_state state;
	char id[128]; /* its own name, where it was asked for by another; "" without an answer */
	char stops_with[1024];    /* the units that stop with it, separated by spaces */
	char triggered_by[1024];  /* those that start it on demand or in time */
	const char *irreversible; /* why stopping it could not be given back, or NULL */
};

/* What `systemctl show` answered about n units asked in one go; pure. */
void et_services_parse(const char *text, size_t n, struct et_service *out);
/* Asks about n units; program NULL leaves all of them unknown. */
void et_services_read(
	const char *program, const char *const *units, size_t n, struct et_service *out);
/* verb is "start", "stop" or "reset-failed". 0, or -errno with err filled. */
int et_service_control(
	const char *program, const char *verb, const char *unit, struct et_error *err) ET_CHECK;

#endif
