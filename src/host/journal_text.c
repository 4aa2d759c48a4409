/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/journal_text.h"
#include "base/hash.h"
#include "base/parse.h"
#include "host/factors.h"
#include "model/sample/sample.h"

#include <ctype.h>

/* The checksum, a hash, detects a line that was cut or edited, but not a forged one. */
enum { MAX_FIELDS = 12, CHECKSUM = 16, MAX_ENTRIES = 1000000 };

static const char *const owner_names[] = { "apply", "run", NULL };

/* --- writing --- */

/* Room for the checksum, the space before it and the newline. The parser limits a line likewise. */
enum { MAX_BODY = ET_JOURNAL_LINE - 1 - CHECKSUM - 2 };

static ET_PRINTF(2, 3) void put(struct et_journal_line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(l->text + l->n, MAX_BODY - l->n + 1, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n > MAX_BODY - l->n) {
		l->too_long = true;
		l->text[l->n] = '\0';
	} else {
		l->n += (size_t)n;
	}
}

/* Writes a field without spaces: other characters become %HH, and an empty field becomes %. */
static void put_field(struct et_journal_line *l, const char *text)
{
	put(l, *text ? " " : " %%");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (isgraph(c) && c < 0x80 && c != '%')
			put(l, "%c", c);
		else
			put(l, "%%%02x", c);
	}
}

int et_journal_line_end(struct et_journal_line *l)
{
	if (l->too_long)
		return -EMSGSIZE;
	l->n += (size_t)snprintf(l->text + l->n, sizeof(l->text) - l->n, " %016" PRIx64 "\n",
		et_hash_bytes(l->text, l->n));
	return 0;
}

int et_journal_line_session(struct et_journal_line *l, const struct et_journal_session *s)
{
	*l = (struct et_journal_line){ 0 };
	put(l, "begin %" PRIu32 " %s %d", s->number, owner_names[s->owner], s->pid);
	put_field(l, s->boot_id);
	put(l, " %" PRIu64, s->wall_ns);
	return et_journal_line_end(l);
}

int et_journal_line_change(
	struct et_journal_line *l, uint64_t id, uint32_t session, const struct et_change *c)
{
	*l = (struct et_journal_line){ 0 };
	put(l, "change %" PRIu64 " %" PRIu32, id, session);
	put_field(l, c->factor);
	put_field(l, et_change_kind_names[c->kind]);
	put_field(l, c->target);
	put(l, " %d %" PRIu64, c->pid, c->start);
	put_field(l, c->before);
	put_field(l, c->after);
	return et_journal_line_end(l);
}

int et_journal_line_mark(
	struct et_journal_line *l, const char *name, uint64_t id, const char *value)
{
	*l = (struct et_journal_line){ 0 };
	put(l, "%s %" PRIu64, name, id);
	if (value)
		put_field(l, value);
	return et_journal_line_end(l);
}

/* --- parsing --- */

static int hex(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* Decodes a field in place; returns false if put_field cannot have written it. */
static bool decode(char *field)
{
	char *to = field;

	if (!strcmp(field, "%")) {
		*field = '\0';
		return true;
	}
	for (const char *p = field; *p; p++) {
		if (*p != '%') {
			*to++ = *p;
			continue;
		}
		int high = hex(p[1]), low = high < 0 ? -1 : hex(p[2]);
		if (low < 0 || !(high | low))
			return false;
		*to++ = (char)(high * 16 + low);
		p += 2;
	}
	*to = '\0';
	return true;
}

struct line {
	char *field[MAX_FIELDS];
	size_t n;
	char text[ET_JOURNAL_LINE];
};

/* Verifies the checksum and splits the line into decoded fields. */
static bool split_line(const char *start, size_t len, struct line *l)
{
	char sum[CHECKSUM + 1], *rest;

	if (len <= CHECKSUM + 1 || len >= ET_JOURNAL_LINE || memchr(start, '\0', len))
		return false;
	size_t body = len - CHECKSUM - 1;
	snprintf(sum, sizeof(sum), "%016" PRIx64, et_hash_bytes(start, body));
	if (start[body] != ' ' || memcmp(start + body + 1, sum, CHECKSUM))
		return false;
	memcpy(l->text, start, body);
	l->text[body] = '\0';
	l->n = 0;
	for (char *w = strtok_r(l->text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
		if (l->n == MAX_FIELDS || !decode(w))
			return false;
		l->field[l->n++] = w;
	}
	return l->n > 0;
}

static bool number(const char *text, uint64_t lo, uint64_t hi, uint64_t *out)
{
	return et_parse_u64("journal", text, lo, hi, out, NULL) == 0;
}

/* Adds missing sessions: the line of a session may be damaged while its changes are readable. */
static bool have_session(struct et_journal *j, uint64_t number)
{
	enum { MAX_LOST = 1000 };

	if (number < 1 || number > j->n_sessions + MAX_LOST)
		return false;
	while (j->n_sessions < number) {
		ET_GROW(j->sessions, j->n_sessions, j->cap_sessions);
		j->sessions[j->n_sessions] =
			(struct et_journal_session){ .number = (uint32_t)j->n_sessions + 1 };
		j->n_sessions++;
	}
	return true;
}

static bool take_session(struct et_journal *j, const struct line *l)
{
	struct et_journal_session s = { 0 };
	uint64_t n, pid;
	int owner = l->n == 6 ? et_name_index(owner_names, l->field[2]) : -1;

	if (owner < 0 || !number(l->field[1], j->n_sessions + 1, UINT32_MAX, &n) ||
		!number(l->field[3], 1, INT32_MAX, &pid) ||
		strlen(l->field[4]) >= sizeof(s.boot_id) ||
		!number(l->field[5], 0, INT64_MAX, &s.wall_ns) || !have_session(j, n))
		return false;
	s.number = (uint32_t)n;
	s.owner = (enum et_owner)owner;
	s.pid = (int32_t)pid;
	snprintf(s.boot_id, sizeof(s.boot_id), "%s", l->field[4]);
	j->sessions[n - 1] = s;
	return true;
}

static bool take_change(struct et_journal *j, const struct line *l)
{
	uint64_t id, session, pid, start;
	int kind = l->n == 10 ? et_name_index(et_change_kind_names, l->field[4]) : -1;

	if (kind < 0 || j->n >= MAX_ENTRIES || !number(l->field[1], 1, INT64_MAX, &id) ||
		id <= j->last_id || !number(l->field[2], 1, UINT32_MAX, &session) ||
		!number(l->field[6], 0, INT32_MAX, &pid) ||
		!number(l->field[7], 0, UINT64_MAX, &start))
		return false;
	struct et_change c = { .kind = (enum et_change_kind)kind,
		.factor = l->field[3],
		.target = l->field[5],
		.pid = (int32_t)pid,
		.start = start,
		.before = l->field[8],
		.after = l->field[9] };
	if (!et_factors_know(&c) || !have_session(j, session))
		return false;
	ET_GROW(j->entries, j->n, j->cap);
	j->entries[j->n++] = (struct et_journal_entry){
		.id = id, .session = (uint32_t)session, .change = et_change_copy(&c)
	};
	j->last_id = id;
	return true;
}

static bool take_mark(struct et_journal *j, const struct line *l)
{
	bool back = !strcmp(l->field[0], "back");
	uint64_t id;

	if (l->n != (back ? 2u : 3u) || !number(l->field[1], 1, INT64_MAX, &id))
		return false;
	for (size_t i = j->n; i-- > 0;) {
		struct et_journal_entry *e = &j->entries[i];
		if (e->id != id)
			continue;
		e->restored = e->restored || back;
		if (back)
			return true;
		struct et_change again = e->change;
		again.after = l->field[2];
		if (!strcmp(l->field[0], "again") && !et_factors_know(&again))
			return false;
		free(e->observed);
		e->observed = NULL;
		if (!strcmp(l->field[0], "made")) {
			e->observed = et_strdup(l->field[2]);
		} else {
			free(e->change.after);
			e->change.after = et_strdup(l->field[2]);
		}
		return true;
	}
	return false;
}

static bool take_line(struct et_journal *j, const char *start, size_t len, struct line *l)
{
	if (!split_line(start, len, l))
		return false;
	if (!strcmp(l->field[0], "begin"))
		return take_session(j, l);
	if (!strcmp(l->field[0], "change"))
		return take_change(j, l);
	if (!strcmp(l->field[0], "made") || !strcmp(l->field[0], "again") ||
		!strcmp(l->field[0], "back"))
		return take_mark(j, l);
	return false;
}

int et_journal_parse(struct et_journal *j, const char *text, size_t len)
{
	static const char title[] = ET_JOURNAL_TITLE "\n";
	const char *p = text, *end = text + len;
	ET_AUTO_FREE struct line *l = et_alloc(sizeof(*l));

	/* etalon was killed before it had written the whole title. */
	if (len < strlen(title))
		return memcmp(text, title, len) ? -EINVAL : 0;
	if (memcmp(text, title, strlen(title)))
		return -EINVAL;
	for (p += strlen(title); p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		if (!take_line(j, p, (size_t)(newline - p), l))
			j->damaged++;
		p = newline + 1;
	}
	j->size = p - text;
	return 0;
}
