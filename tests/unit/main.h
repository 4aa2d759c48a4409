/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tests of a layer are one program: linking each with the whole library takes longer than
 * testing. */
#pragma once

struct unit_test {
	const char *name;
	int (*run)(int argc, char **argv);
	struct unit_test *next;
};

void unit_test_add(struct unit_test *t);
