/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network links through which the machine reaches others. */
#pragma once

#include "base/attr.h"

#include <net/if.h>
#include <stdbool.h>

enum et_link_state { ET_LINK_GONE, ET_LINK_DOWN, ET_LINK_UP };

struct et_link {
	char name[IF_NAMESIZE];
	enum et_link_state state;
};

enum { ET_MOST_LINKS = 8 };

/*
 * Fills out with the interfaces that have a default route, at most ET_MOST_LINKS of them, and
 * returns their number, or -errno if the routes cannot be read.
 */
int et_links_read(const char *root, struct et_link out[ET_MOST_LINKS]) ET_CHECK;
enum et_link_state et_link_state(const char *root, const char *name);
/* In megabits per second; 0 if the interface does not report it. */
int et_link_speed(const char *root, const char *name);
