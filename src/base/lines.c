/* SPDX-License-Identifier: MIT */
#include "base/lines.h"

enum { CHUNK = 1 << 16 };

int et_lines_fill(struct et_lines *l)
{
	if (l->eof)
		return 0;
	if (l->pos > 0) {
		memmove(l->buf, l->buf + l->pos, l->end - l->pos);
		l->end -= l->pos;
		l->pos = 0;
	}
	/* One byte remains for the NUL of the last line. */
	if (l->end + CHUNK + 1 > l->cap) {
		l->cap = l->cap ? 2 * l->cap : 2 * CHUNK;
		l->buf = et_realloc(l->buf, l->cap, 1);
	}
	errno = 0;
	size_t got = fread(l->buf + l->end, 1, l->cap - l->end - 1, l->in);
	l->end += got;
	if (got == 0) {
		l->eof = true;
		return ferror(l->in) ? -(errno ? errno : EIO) : 0;
	}
	return 0;
}

int et_lines_begin(struct et_lines *l, bool *json)
{
	int rc = et_lines_fill(l);

	*json = false;
	if (rc)
		return rc;
	if (l->end >= 3 && !memcmp(l->buf, "\xef\xbb\xbf", 3)) /* a byte order mark */
		l->pos = 3;
	size_t first = l->pos;
	while (first < l->end && l->buf[first] && strchr(" \t\r\n", l->buf[first]))
		first++;
	*json = first < l->end && (l->buf[first] == '{' || l->buf[first] == '[');
	return 0;
}

static bool is_comment(const char *line, size_t length)
{
	while (length && (*line == ' ' || *line == '\t')) {
		line++;
		length--;
	}
	return length && *line == '#';
}

/* The state of the search for the end of a line, which examines every byte once. */
struct search {
	size_t seen;  /* bytes after pos that were examined */
	bool open;    /* within quotes */
	bool known;   /* comment is valid */
	bool comment; /* quotes have no meaning in this line */
};

/* Is there an odd number of quotes? */
static bool toggles(const char *p, const char *end)
{
	bool odd = false;

	for (; p < end && (p = memchr(p, '"', (size_t)(end - p))); p++)
		odd = !odd;
	return odd;
}

/* Finds the line feed that ends the line, from pos; false if it is not in the buffer yet. */
static bool find_end(const struct et_lines *l, struct search *s, size_t *out)
{
	const char *begin = l->buf + l->pos, *end = l->buf + l->end, *p = begin + s->seen;
	const char *feed;

	while (p < end && (feed = memchr(p, '\n', (size_t)(end - p)))) {
		size_t length = (size_t)(feed - begin);
		if (!s->known)
			s->comment = !l->quotes || is_comment(begin, length);
		s->known = true;
		if (!s->comment)
			s->open ^= toggles(p, feed);
		if (!s->open) {
			*out = length;
			return true;
		}
		p = feed + 1;
	}
	if (p < end && l->quotes && !is_comment(begin, (size_t)(end - begin)))
		s->open ^= toggles(p, end);
	s->seen = l->end - l->pos;
	return false;
}

static void count_lines(struct et_lines *l, size_t length)
{
	const char *p = l->buf + l->begin, *end = p + length;

	l->number = l->next_number + 1;
	l->next_number++;
	while (l->quotes && p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		l->next_number++;
		p++;
	}
}

int et_lines_next(struct et_lines *l, char **line, size_t *length)
{
	struct search search = { 0 };
	size_t stop = 0;
	bool found;

	while (!(found = find_end(l, &search, &stop)) && !l->eof && l->end - l->pos <= l->longest) {
		int rc = et_lines_fill(l);
		if (rc)
			return rc;
	}
	if (!found)
		stop = l->end - l->pos;
	if (!found && !stop)
		return 0;
	if (stop > l->longest) {
		l->number = l->next_number + 1;
		return -EMSGSIZE;
	}
	l->begin = l->pos;
	l->stop = l->pos + stop;
	l->has_lf = found;
	count_lines(l, stop);
	l->pos = l->stop + found;
	l->has_cr = stop && l->buf[l->stop - 1] == '\r';
	stop -= l->has_cr;
	l->buf[l->begin + stop] = '\0';
	if (l->has_lf)
		l->buf[l->stop] = '\0';
	*line = l->buf + l->begin;
	*length = stop;
	return 1;
}

void et_lines_back(struct et_lines *l)
{
	if (l->has_cr)
		l->buf[l->stop - 1] = '\r';
	if (l->has_lf)
		l->buf[l->stop] = '\n';
	l->pos = l->begin;
	l->next_number = l->number - 1;
}

int et_lines_rest(struct et_lines *l, size_t most, char **out, size_t *size)
{
	while (!l->eof) {
		int rc = et_lines_fill(l);
		if (rc)
			return rc;
		if (l->end - l->pos > most)
			return -EFBIG;
	}
	*size = l->end - l->pos;
	*out = et_alloc(*size + 1);
	if (*size)
		memcpy(*out, l->buf + l->pos, *size);
	l->pos = l->end;
	return 0;
}

void et_lines_free(struct et_lines *l)
{
	free(l->buf);
}
