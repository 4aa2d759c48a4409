/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mutate.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct mutant {
	const struct fuzz_target *target;
	const struct fuzz_corpus *corpus;
	uint64_t random;
	char *buf;
	size_t n;
};

/* SplitMix64 (Steele, Lea & Flood 2014). */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static size_t below(struct mutant *m, size_t n)
{
	return n ? (size_t)(next(&m->random) % n) : 0;
}

/* Replaces `old` bytes at a place by others, if the result fits. */
static void replace(struct mutant *m, size_t at, size_t old, const char *with, size_t size)
{
	if (at + old > m->n || m->n - old + size > FUZZ_LARGEST)
		return;
	memmove(m->buf + at + size, m->buf + at + old, m->n - at - old);
	if (size)
		memcpy(m->buf + at, with, size);
	m->n = m->n - old + size;
}

/* --- tokens and numbers --- */

static const char *const numbers[] = { "0", "1", "-1", "2", "127", "128", "255", "256", "1000",
	"4095", "4096", "4097", "65535", "65536", "2147483647", "2147483648", "4294967295",
	"4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "18446744073709551615", "18446744073709551616", "0.5", "1e-320",
	"5e-324", "1e15", "1e19", "1e308", "-1e308", "00000000000000000000000000000000000001" };

static const char *token(struct mutant *m)
{
	const char *const *tokens = m->target->tokens;
	size_t n = 0;

	while (tokens && tokens[n])
		n++;
	if (!n || below(m, 3) == 0)
		return numbers[below(m, ET_LENGTH(numbers))];
	return tokens[below(m, n)];
}

static void insert_token(struct mutant *m)
{
	const char *t = token(m);

	replace(m, below(m, m->n + 1), 0, t, strlen(t));
}

/* Replaces a whole word or number, or the content of a quoted string. */
static void replace_word(struct mutant *m)
{
	size_t at = below(m, m->n), end;
	const char *t = token(m);

	while (at < m->n && !isalnum((unsigned char)m->buf[at]))
		at++;
	while (at > 0 && isalnum((unsigned char)m->buf[at - 1]))
		at--;
	for (end = at; end < m->n && (isalnum((unsigned char)m->buf[end]) || m->buf[end] == '.');)
		end++;
	replace(m, at, end - at, t, strlen(t));
}

/* Changes a decimal number by a little or by a factor. */
static void change_number(struct mutant *m)
{
	size_t at = below(m, m->n), end;
	char text[32];

	while (at < m->n && !isdigit((unsigned char)m->buf[at]))
		at++;
	for (end = at; end < m->n && isdigit((unsigned char)m->buf[end]) && end - at < 19;)
		end++;
	if (end == at)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)(end - at), m->buf + at);
	uint64_t value = strtoull(text, NULL, 10);
	switch (below(m, 4)) {
	case 0:
		value++;
		break;
	case 1:
		value--;
		break;
	case 2:
		value *= 10;
		break;
	default:
		value = next(&m->random);
		value >>= below(m, 64);
		break;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	replace(m, at, end - at, text, strlen(text));
}

/* A number of fixed width at an aligned place: a boundary, or a small difference. */
static void change_binary(struct mutant *m)
{
	static const uint64_t values[] = { 0, 1, 4, 7, 8, 16, 0x7f, 0x80, 0xff, 0x100, 0x7fff,
		0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,
		(uint64_t)INT64_MIN, UINT64_MAX };
	size_t width = (size_t)1 << below(m, 4);
	size_t at = below(m, m->n) & ~(width - 1);
	uint64_t value = 0;

	if (at + width > m->n)
		return;
	memcpy(&value, m->buf + at, width);
	if (below(m, 2))
		value = values[below(m, ET_LENGTH(values))];
	else
		value += below(m, 2) ? below(m, 16) : (uint64_t)-1 * below(m, 16);
	memcpy(m->buf + at, &value, width);
}

/* --- JSON --- */

/* The end of the JSON value at a place, as far as brackets and quotes show it. */
static size_t value_end(const struct mutant *m, size_t at)
{
	bool quoted = false;
	int depth = 0;

	for (; at < m->n; at++) {
		char c = m->buf[at];
		if (quoted && c == '\\')
			at++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && strchr("{[", c) && c)
			depth++;
		else if (!quoted && strchr("}]", c) && c && --depth < 0)
			return at;
		else if (!quoted && depth == 0 && c == ',')
			return at;
	}
	return m->n;
}

/* A place where a value begins: after a bracket, a colon or a comma. */
static size_t value_begin(struct mutant *m)
{
	size_t at = below(m, m->n);

	for (size_t i = 0; i < m->n; i++, at = at + 1 < m->n ? at + 1 : 0) {
		if (m->buf[at] && strchr("[:,", m->buf[at]))
			return at + 1;
	}
	return 0;
}

/* The value of a member: after its key and the colon. */
static size_t skip_key(const struct mutant *m, size_t at)
{
	size_t p = at;

	while (p < m->n && isspace((unsigned char)m->buf[p]))
		p++;
	if (p >= m->n || m->buf[p] != '"')
		return at;
	for (p++; p < m->n && m->buf[p] != '"'; p++)
		p += m->buf[p] == '\\';
	while (++p < m->n && isspace((unsigned char)m->buf[p]))
		;
	return p < m->n && m->buf[p] == ':' ? p + 1 : at;
}

/* Replaces a value by another one of the text, or by a value that is special. The rest stays JSON.
 */
static void change_value(struct mutant *m)
{
	static const char *const values[] = { "null", "true", "false", "{}", "[]", "\"\"", "-1",
		"0", "1", "2", "1.5", "4294967295", "4294967296", "9223372036854775807", "1e308",
		"5e-324", "\"\\u001b[31m\"", "\"\\u202e\"", "\"x\"", "\"duet\"", "\"et\"",
		"\"interrupted\"", "\"kbest\"", "[[],{}]", "{\"a\":1}", "[1,2,3]" };
	static char copy[4096];
	size_t at = skip_key(m, value_begin(m)), end = value_end(m, at);

	if (below(m, 3)) {
		const char *value = values[below(m, ET_LENGTH(values))];
		replace(m, at, end - at, value, strlen(value));
		return;
	}
	size_t from = skip_key(m, value_begin(m)), size = value_end(m, from) - from;
	if (size > sizeof(copy))
		return;
	memcpy(copy, m->buf + from, size);
	replace(m, at, end - at, copy, size);
}

/* Removes a member or an element, or doubles it. */
static void change_member(struct mutant *m)
{
	static char copy[4096];
	size_t at = value_begin(m), end = value_end(m, at);

	if (end >= m->n || m->buf[end] != ',' || end + 1 - at > sizeof(copy))
		return;
	memcpy(copy, m->buf + at, end + 1 - at);
	if (below(m, 2))
		replace(m, at, end + 1 - at, "", 0);
	else
		replace(m, at, 0, copy, end + 1 - at);
}

/* --- bytes, lines and blocks --- */

static void change_byte(struct mutant *m)
{
	size_t at = below(m, m->n);

	if (m->n)
		m->buf[at] ^= (char)(below(m, 2) ? 1 << below(m, 8) : (int)below(m, 256));
}

static void delete_block(struct mutant *m)
{
	size_t at = below(m, m->n), size = 1 + below(m, below(m, 4) ? 16 : 1024);

	replace(m, at, size < m->n - at ? size : m->n - at, "", 0);
}

/* Inserts copies of a block after it, sometimes many. */
static void repeat_block(struct mutant *m)
{
	static char block[4096];
	size_t at = below(m, m->n), size = 1 + below(m, below(m, 4) ? 64 : sizeof(block));
	size_t times = below(m, 8) ? 1 : below(m, below(m, 8) ? 64 : 2048);

	if (size > m->n - at)
		size = m->n - at;
	if (size > sizeof(block))
		size = sizeof(block);
	memcpy(block, m->buf + at, size);
	/* A mutant is rarely larger than 64 KiB, for speed. */
	while (times-- && (m->n < 65536 || below(m, 64) == 0))
		replace(m, at, 0, block, size);
}

static size_t line_start(const struct mutant *m, size_t at)
{
	while (at > 0 && m->buf[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_end(const struct mutant *m, size_t at)
{
	while (at < m->n && m->buf[at] != '\n')
		at++;
	return at < m->n ? at + 1 : at;
}

/* Removes a line, or copies it to another place. */
static void move_line(struct mutant *m)
{
	static char line[4096];
	size_t at = line_start(m, below(m, m->n)), size = line_end(m, at) - at;

	if (size > sizeof(line))
		return;
	memcpy(line, m->buf + at, size);
	if (below(m, 2))
		replace(m, at, size, "", 0);
	if (below(m, 2))
		replace(m, line_start(m, below(m, m->n)), 0, line, size);
}

/* Overwrites or inserts a part of another input. */
static void splice(struct mutant *m)
{
	const struct fuzz_input *other = &m->corpus->list[below(m, m->corpus->n)];
	size_t from = below(m, other->size), size = below(m, other->size - from + 1);
	size_t at = below(m, m->n + 1), old = below(m, 2) ? size : 0;

	/* Pages of a database are swapped whole. */
	if (m->target->binary && below(m, 2)) {
		from &= ~(size_t)511;
		at &= ~(size_t)511;
		size = old = 512 < other->size - from ? 512 : other->size - from;
	}
	replace(m, at, old < m->n - at ? old : m->n - at, other->data + from, size);
}

static void cut(struct mutant *m)
{
	m->n = below(m, m->n);
}

static void mutate_once(struct mutant *m)
{
	static void (*const text[])(struct mutant *) = { change_byte, change_byte, delete_block,
		repeat_block, insert_token, insert_token, replace_word, replace_word, change_number,
		change_number, move_line, splice };
	static void (*const json[])(struct mutant *) = { change_value, change_value, change_value,
		change_member, change_number };
	static void (*const binary[])(struct mutant *) = { change_byte, change_binary,
		change_binary, change_binary, delete_block, repeat_block, splice };

	if (below(m, 64) == 0)
		cut(m);
	else if (m->target->json && below(m, 8))
		json[below(m, ET_LENGTH(json))](m);
	else if (m->target->binary)
		binary[below(m, ET_LENGTH(binary))](m);
	else
		text[below(m, ET_LENGTH(text))](m);
}

size_t fuzz_mutate(const struct fuzz_target *t, const struct fuzz_corpus *c, uint64_t seed,
	uint64_t i, char *buf)
{
	struct mutant m = { .target = t, .corpus = c, .buf = buf };

	m.random = seed * UINT64_C(0xd1342543de82ef95) + i;
	const struct fuzz_input *from = &c->list[below(&m, c->n)];
	m.n = from->size < FUZZ_LARGEST ? from->size : FUZZ_LARGEST;
	memcpy(buf, from->data, m.n);
	for (size_t k = 1 + below(&m, below(&m, 8) ? 5 : 30); k > 0; k--)
		mutate_once(&m);
	return m.n;
}
