/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/symbols.h"

#ifdef ET_HAVE_IBERTY

#include <libiberty/demangle.h>
#include <malloc.h>

/* The demangler limits recursion, not time: a short symbol can stand for a name of any length. */
enum { MOST_MANGLED = 1023, MOST_REFERENCES = 12 };

static const int options = DMGL_PARAMS | DMGL_ANSI;

struct output {
	struct demangle_component *parts; /* of a name of C++ */
	size_t n_parts, n;
	bool too_long;
	char text[ET_MOST_SYMBOL_NAME + 1];
};

static void collect(const char *text, size_t n, void *to)
{
	struct output *out = to;

	if (out->too_long || n == 0) /* text may be NULL then */
		return;
	if (n > ET_MOST_SYMBOL_NAME - out->n) {
		/* The printer takes a part that it is printing already for an error, and ends. */
		for (size_t i = 0; i < out->n_parts; i++)
			out->parts[i].d_printing = INT_MAX / 2;
		out->too_long = true;
		return;
	}
	memcpy(out->text + out->n, text, n);
	out->n += n;
}

static bool demangle_rust(const char *symbol, struct output *out)
{
	size_t references = 0;

	/* Each at most doubles the name. */
	for (const char *s = symbol; (s = strchr(s, 'B')); s++)
		references++;
	*out = (struct output){ 0 };
	return (symbol[1] == 'Z' || references <= MOST_REFERENCES) &&
	       rust_demangle_callback(symbol, options, collect, out) && !out->too_long;
}

static bool demangle_cplusplus(const char *symbol, struct output *out)
{
	void *parts = NULL;
	struct demangle_component *whole =
		symbol[1] == 'Z' ? cplus_demangle_v3_components(symbol, options, &parts) : NULL;

	if (!whole)
		return false;
	*out = (struct output){ .parts = parts };
	out->n_parts = malloc_usable_size(parts) / sizeof(*out->parts);
	bool done = cplus_demangle_print_callback(options, whole, collect, out);
	free(parts);
	return done && !out->too_long;
}

bool et_demangle_built(void)
{
	return true;
}

char *et_demangle(const char *symbol)
{
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R') ||
		strnlen(symbol, MOST_MANGLED + 1) > MOST_MANGLED)
		return NULL;
	size_t length = strcspn(symbol, "@");
	ET_AUTO_FREE struct output *out = et_alloc(sizeof(*out));
	ET_AUTO_FREE char *bare = et_strndup(symbol, length);

	if (!demangle_rust(bare, out) && !demangle_cplusplus(bare, out))
		return NULL;
	if (!out->n || memchr(out->text, '\0', out->n))
		return NULL;
	out->text[out->n] = '\0';
	return et_asprintf("%s%s", out->text, symbol + length);
}

#else

bool et_demangle_built(void)
{
	return false;
}

char *et_demangle(const char *symbol)
{
	(void)symbol;
	return NULL;
}

#endif
