/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the same functions in the profiles of two commands. Private to the statistics. */
#pragma once

#include "stats/profile/counts.h"
#include "stats/profile/profile.h"

/* A group of command a and the same of command b; ET_PROFILE_NONE: the command lacks it. */
struct et_profile_match {
	uint32_t a, b;
};

/*
 * Returns a new list of *n functions or modules with samples, of their own or also of what they
 * called. One of only one command is matched by its name with one that only the other has, because
 * two builds of a program are two files.
 */
struct et_profile_match *et_profile_match(const struct et_profile *p,
	const struct et_profile_pair *pair, const struct et_profile_counts *a,
	const struct et_profile_counts *b, size_t *n);
