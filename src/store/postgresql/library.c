/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "store/postgresql/pg.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct et_pq et_pq;

static int fail(const char *what, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"libpq, the client library of PostgreSQL, cannot be loaded: %s", what),
		"install it (apt-get install libpq5), or use a file: --store sqlite:PATH");
}

int et_pq_load(struct et_error *err)
{
#define NAME(function) #function,
	static const char *const names[] = { ET_PQ_FUNCTIONS(NAME) };
	void *found[ET_LENGTH(names)];

	if (et_pq.PQlibVersion)
		return 0;
	/* It is never unloaded: OpenSSL, which it uses, registers functions for the exit. */
	void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return fail(dlerror(), err);
	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		found[i] = dlsym(library, names[i]);
		if (!found[i])
			return fail(dlerror(), err);
	}
	_Static_assert(sizeof(found) == sizeof(et_pq), "every member is the address of a function");
	memcpy(&et_pq, found, sizeof(et_pq));
	return 0;
}
