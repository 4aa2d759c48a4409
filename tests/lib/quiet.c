/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the first call of the timed function to the last the library does not allocate, write or
 * lock. This program replaces the functions that do, and counts their calls.
 */
#include "tap.h"

#include <dlfcn.h>
#include <etalon/etalon.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
int main(void)
{
	skip("the address sanitizer replaces the allocator");
	return tap_done();
}
#else
static unsigned count, first, last, calls;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
	count++;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	count++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	count++;
	return __libc_realloc(p, n);
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	static int (*real)(pthread_mutex_t *);

	count++;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	return real(m);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);

	count++;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	return real(fd, buf, n);
}

static void watched(void *arg)
{
	(void)arg;
	if (!calls++)
		first = count;
	last = count;
}

static void noisy(void *arg)
{
	watched(arg);
	free(malloc(10));
}

static bool done(int status)
{
	return status == ETALON_OK || status == ETALON_NOT_CONVERGED;
}

int main(void)
{
	struct etalon_kbest_opts o;
	struct etalon_kbest_result r;
	int rc;

	ok(etalon_kbest_opts_init(&o, sizeof(o)) == ETALON_OK, "the options are set up");
	o.least_ns = 20000000;
	o.max_samples = 50;
	rc = etalon_kbest(watched, NULL, &o, &r, sizeof(r));
	ok(done(rc) && calls > 50 && first == last,
		"warm cache: %u calls without allocation, lock or output", calls);
	calls = 0;
	rc = etalon_kbest(noisy, NULL, &o, &r, sizeof(r));
	ok(done(rc) && last > first, "the count includes what the timed function allocates");
	o.cache = ETALON_CACHE_COLD;
	o.max_samples = 5;
	calls = 0;
	rc = etalon_kbest(watched, NULL, &o, &r, sizeof(r));
	ok(done(rc) && calls >= 5 && first == last,
		"cold cache: no allocation, lock or output between calls");
	return tap_done();
}
#endif
