/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/utf8.h"

#include <assert.h>

void et_json_init(struct et_json *j, FILE *out, int indent)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
	j->indent = indent;
	j->first[0] = true;
	j->flat[0] = indent == 0;
}

/* Writes a character as \uXXXX, or as two of them beyond the first 65536 (RFC 8259, section 7). */
static void put_escape(FILE *out, uint32_t c)
{
	if (c < 0x10000)
		fprintf(out, "\\u%04x", c);
	else
		fprintf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
}

static void quote(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', out);
	while (*s) {
		size_t len = et_utf8_length((const char *)s);

		if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s++);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s++);
		} else if (!len) {
			fputs("\xef\xbf\xbd", out);
			s++;
		} else if (len > 1 && et_utf8_deceives(et_utf8_decode((const char *)s, len))) {
			put_escape(out, et_utf8_decode((const char *)s, len));
			s += len;
		} else {
			fwrite(s, 1, len, out);
			s += len;
		}
	}
	putc('"', out);
}

static void lead(struct et_json *j, const char *key)
{
	if (j->depth > 0) {
		if (!j->first[j->depth])
			putc(',', j->out);
		if (!j->flat[j->depth])
			fprintf(j->out, "\n%*s", j->depth * j->indent, "");
		else if (j->indent && !j->first[j->depth])
			putc(' ', j->out);
	}
	j->first[j->depth] = false;
	if (key) {
		quote(j->out, key);
		fputs(j->indent ? ": " : ":", j->out);
	}
}

static void open_level(struct et_json *j, const char *key, char bracket, bool flat)
{
	lead(j, key);
	putc(bracket, j->out);
	assert((size_t)j->depth + 1 < ET_LENGTH(j->first));
	flat = flat || j->flat[j->depth];
	j->depth++;
	j->first[j->depth] = true;
	j->flat[j->depth] = flat;
	j->closer[j->depth] = bracket == '{' ? '}' : ']';
}

void et_json_object(struct et_json *j, const char *key)
{
	open_level(j, key, '{', false);
}

void et_json_array(struct et_json *j, const char *key)
{
	open_level(j, key, '[', false);
}

void et_json_flat_object(struct et_json *j, const char *key)
{
	open_level(j, key, '{', true);
}

void et_json_flat_array(struct et_json *j, const char *key)
{
	open_level(j, key, '[', true);
}

void et_json_end(struct et_json *j)
{
	bool empty = j->first[j->depth], flat = j->flat[j->depth];
	char closer = j->closer[j->depth];

	assert(j->depth > 0);
	j->depth--;
	if (!empty && !flat)
		fprintf(j->out, "\n%*s", j->depth * j->indent, "");
	putc(closer, j->out);
	if (j->depth == 0)
		putc('\n', j->out);
}

void et_json_string(struct et_json *j, const char *key, const char *value)
{
	lead(j, key);
	if (value)
		quote(j->out, value);
	else
		fputs("null", j->out);
}

void et_json_bool(struct et_json *j, const char *key, bool value)
{
	lead(j, key);
	fputs(value ? "true" : "false", j->out);
}

void et_json_null(struct et_json *j, const char *key)
{
	lead(j, key);
	fputs("null", j->out);
}

void et_json_int(struct et_json *j, const char *key, int64_t value)
{
	lead(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void et_json_u64(struct et_json *j, const char *key, uint64_t value)
{
	lead(j, key);
	fprintf(j->out, value == ET_UNKNOWN ? "null" : "%" PRIu64, value);
}

void et_json_double(struct et_json *j, const char *key, double value)
{
	char buf[32];

	lead(j, key);
	fputs(isfinite(value) ? et_shortest(value, buf) : "null", j->out);
}

const char *et_shortest(double value, char buf[32])
{
	/* IEEE 754 binary64: 15 digits may suffice, 17 always do. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, 32, "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	return buf;
}
