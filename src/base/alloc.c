/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdatomic.h>
#include <sys/mman.h>

/* Restoring the environment needs less than a tenth of it. */
enum { RESERVE_BYTES = 16 << 20 };

/* This belongs to the process, as the heap does. */
static struct {
	_Atomic(et_rescue) rescue;
	void *reserve; /* a mapping, NULL without rescue */
} exhaustion;

static void drop_reserve(void)
{
	if (exhaustion.reserve)
		munmap(exhaustion.reserve, RESERVE_BYTES);
	exhaustion.reserve = NULL;
}

void et_alloc_set_rescue(et_rescue rescue)
{
	if (rescue && !exhaustion.reserve) {
		void *reserve = mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (reserve == MAP_FAILED)
			et_out_of_memory();
		exhaustion.reserve = reserve;
	}
	atomic_store(&exhaustion.rescue, rescue);
	if (!rescue)
		drop_reserve();
}

void et_out_of_memory(void)
{
	static const char message[] = "etalon: out of memory\n";
	/* Only once: the rescue itself may run out of memory. */
	et_rescue rescue = atomic_exchange(&exhaustion.rescue, NULL);
	ssize_t n = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)n; /* without standard error there is nobody to report to */
	if (rescue) {
		drop_reserve();
		rescue();
	}
	_exit(ET_EXIT_OUTSIDE);
}

static void *have(void *p)
{
	if (!p)
		et_out_of_memory();
	return p;
}

void *et_alloc(size_t size)
{
	return have(malloc(size ? size : 1));
}

void *et_calloc(size_t n, size_t size)
{
	return have(calloc(n ? n : 1, size ? size : 1));
}

void *et_realloc(void *p, size_t n, size_t size)
{
	return have(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *et_strdup(const char *s)
{
	return have(strdup(s));
}

char *et_strndup(const char *s, size_t n)
{
	return have(strndup(s, n));
}

char *et_vasprintf(const char *fmt, va_list ap)
{
	char *out = NULL;

	return have(vasprintf(&out, fmt, ap) < 0 ? NULL : out);
}

char *et_asprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *out = et_vasprintf(fmt, ap);
	va_end(ap);
	return out;
}

void et_append(char **text, const char *between, const char *fmt, ...)
{
	char *old = *text;
	va_list ap;

	va_start(ap, fmt);
	char *more = et_vasprintf(fmt, ap);
	va_end(ap);
	*text = et_asprintf("%s%s%s", old ? old : "", old ? between : "", more);
	free(more);
	free(old);
}
