/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main of a program with the tests of a layer. Usage: test-LAYER NAME [ARGUMENT…] */
#include "main.h"

#include <stdio.h>
#include <string.h>

static struct unit_test *tests;

void unit_test_add(struct unit_test *t)
{
	t->next = tests;
	tests = t;
}

int main(int argc, char **argv)
{
	for (struct unit_test *t = tests; argc > 1 && t; t = t->next)
		if (!strcmp(t->name, argv[1]))
			return t->run(argc - 1, argv + 1);
	fprintf(stderr, "usage: %s NAME [ARGUMENT…], where NAME is one of:", argv[0]);
	for (struct unit_test *t = tests; t; t = t->next)
		fprintf(stderr, " %s", t->name);
	fprintf(stderr, "\n");
	return 2;
}
