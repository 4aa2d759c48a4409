/* SPDX-License-Identifier: MIT */
#include "base/memstream.h"

static ssize_t append(void *cookie, const char *bytes, size_t n)
{
	struct et_memstream *s = cookie;

	while (s->cap - s->n <= n) { /* one more byte for the NUL at the end */
		s->cap *= 2;
		s->text = et_realloc(s->text, s->cap, 1);
	}
	memcpy(s->text + s->n, bytes, n);
	s->n += n;
	s->text[s->n] = '\0';
	return (ssize_t)n;
}

FILE *et_memstream_open(struct et_memstream *s)
{
	enum { FIRST_BYTES = 256 };
	cookie_io_functions_t functions = { .write = append };

	*s = (struct et_memstream){ .text = et_calloc(FIRST_BYTES, 1), .cap = FIRST_BYTES };
	s->out = fopencookie(s, "w", functions);
	if (!s->out)
		et_out_of_memory();
	return s->out;
}

char *et_memstream_close(struct et_memstream *s)
{
	bool failed = ferror(s->out) != 0;

	/* Writing has no other cause of failure, because append does not fail. */
	if (fclose(s->out) != 0 || failed)
		et_out_of_memory();
	s->out = NULL;
	return s->text;
}
