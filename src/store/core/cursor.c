/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/core/cursor.h"

/* Etalon keeps no longer string, so a longer one in a store is a sign of damage. */
enum { MAX_TEXT = 4 << 20 };
/* execve(2) fails if the arguments need more than 6 MiB (_STK_LIM / 4 * 3 in fs/exec.c). */
enum { MAX_WORDS = 6 << 20 };
/* The most that an allocation costs beside its bytes, and a pointer to it. */
enum { BLOCK = 48 };

static int prepare(struct et_store *s, enum et_sql which, struct et_error *err)
{
	const struct et_database_ops *ops = s->db->ops;

	if (s->statements[which])
		return 0;
	ET_AUTO_FREE char *sql = et_sql_statement(which, ops->dialect);
	return ops->prepare(s->db, sql, &s->statements[which], err);
}

struct et_cursor et_cursor_open(struct et_store *s, enum et_sql which, struct et_error *err)
{
	struct et_cursor c = { .err = err, .failed = prepare(s, which, err) };

	c.st = s->statements[which];
	return c;
}

struct et_cursor et_cursor_of_texts(struct et_store *s, enum et_sql which, struct et_error *err)
{
	struct et_cursor c = et_cursor_open(s, which, err);

	s->texts = ET_STORE_MOST_TEXT;
	c.budget = &s->texts;
	return c;
}

struct et_cursor et_cursor_rows(
	struct et_store *s, enum et_sql which, int64_t key, struct et_error *err)
{
	struct et_cursor c = et_cursor_open(s, which, err);

	et_bind_int(&c, key);
	c.budget = &s->texts;
	return c;
}

void et_cursor_close(struct et_cursor *c)
{
	if (c->st)
		c->st->db->ops->reset(c->st);
}

int et_cursor_step(struct et_cursor *c)
{
	if (c->failed)
		return c->failed;
	c->at = 0;
	return c->st->db->ops->step(c->st, c->err);
}

int et_cursor_change(struct et_cursor *c, int64_t *changed)
{
	int rc = et_cursor_step(c);

	if (rc == 0)
		*changed = c->st->db->ops->changes(c->st);
	return rc;
}

/* The table and the columns of "INSERT INTO table (columns) …". */
static int begin_copy(struct et_store *s, enum et_sql insert, struct et_cursor *c)
{
	static const char words[] = "INSERT INTO ";
	ET_AUTO_FREE char *sql = et_sql_statement(insert, s->db->ops->dialect);
	char *table = sql + sizeof(words) - 1, *open = strstr(table, " ("),
	     *end = strchr(table, ')');

	*open = *end = '\0';
	return s->db->ops->copy_begin(s->db, table, open + 2, &c->st, c->err);
}

struct et_cursor et_cursor_bulk(struct et_store *s, enum et_sql insert, struct et_error *err)
{
	if (!s->db->ops->copy_begin)
		return et_cursor_open(s, insert, err);
	struct et_cursor c = { .err = err, .copies = true };
	c.failed = begin_copy(s, insert, &c);
	return c;
}

int et_cursor_add(struct et_cursor *c)
{
	int rc = et_cursor_step(c);

	if (c->st)
		c->st->db->ops->reset(c->st);
	c->at = 0;
	return rc;
}

int et_cursor_finish(struct et_cursor *c, int rc)
{
	rc = rc ? rc : c->failed;
	if (c->copies && c->st) {
		const struct et_database_ops *ops = c->st->db->ops;
		if (rc)
			ops->finalize(c->st);
		else
			rc = ops->copy_end(c->st, c->err);
		c->st = NULL;
	}
	et_cursor_close(c);
	return rc;
}

bool et_cursor_spend(struct et_cursor *c, size_t bytes)
{
	size_t cost = bytes + BLOCK;

	if (!c->budget)
		return true;
	if (*c->budget < cost)
		return false;
	*c->budget -= cost;
	return true;
}

static void bind(struct et_cursor *c, const struct et_value *value)
{
	if (!c->failed)
		c->st->db->ops->bind(c->st, c->at++, value);
}

/* Etalon's own code made the value, so the user cannot correct it. */
static void refuse(struct et_cursor *c, const char *name, const char *is, const char *wanted)
{
	if (!c->failed)
		c->failed = et_fail_hint(c->err, EINVAL, ET_EXIT_OUTSIDE,
			"this is a defect of etalon; please report it",
			"%s: cannot keep %s%s: it must be %s", c->st->db->name, name, is, wanted);
}

static void refuse_texts(struct et_cursor *c)
{
	if (!c->failed)
		c->failed = et_fail_hint(c->err, E2BIG, ET_EXIT_USAGE,
			"divide it into experiments of fewer commands",
			"%s: the texts of the experiment need more than %zu MiB", c->st->db->name,
			ET_STORE_MOST_TEXT >> 20);
}

void et_bind_int(struct et_cursor *c, int64_t value)
{
	bind(c, &(struct et_value){ .kind = ET_VALUE_INT, .integer = value });
}

void et_bind_ints(struct et_cursor *c, const int64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		et_bind_int(c, values[i]);
}

void et_bind_count(struct et_cursor *c, const char *name, uint64_t value)
{
	if (value > INT64_MAX)
		refuse(c, name, "", "below 2^63");
	et_bind_int(c, (int64_t)value);
}

void et_bind_text(struct et_cursor *c, const char *name, const char *text)
{
	if (text && strnlen(text, MAX_TEXT + 1) > MAX_TEXT)
		refuse(c, name, "", "a string of at most 4 MiB");
	if (text && !et_cursor_spend(c, strlen(text)))
		refuse_texts(c);
	bind(c, &(struct et_value){ .kind = text ? ET_VALUE_TEXT : ET_VALUE_NULL, .bytes = text });
}

void et_bind_chars(struct et_cursor *c, const char *name, const char *chars, size_t size)
{
	if (strnlen(chars, size) == size)
		refuse(c, name, "", "shorter");
	et_bind_text(c, name, c->failed ? NULL : chars);
}

/* Spends the budget on the words of a blob. */
static bool spend_words(struct et_cursor *c, const char *blob, size_t size)
{
	for (const char *end = blob + size; blob < end; blob += strlen(blob) + 1) {
		if (!et_cursor_spend(c, strlen(blob)))
			return false;
	}
	return true;
}

void et_bind_words(struct et_cursor *c, const char *bytes, size_t size)
{
	if (size > MAX_WORDS)
		refuse(c, "arguments", "", "at most 6 MiB");
	if (!spend_words(c, bytes, size))
		refuse_texts(c);
	bind(c, &(struct et_value){ .kind = ET_VALUE_BLOB, .bytes = bytes, .size = size });
}

void et_bind_blob(struct et_cursor *c, const unsigned char *bytes, size_t size)
{
	bind(c, &(struct et_value){
			.kind = ET_VALUE_BLOB, .bytes = (const char *)bytes, .size = size });
}

void et_bind_real(struct et_cursor *c, double value)
{
	bind(c, &(struct et_value){ .kind = ET_VALUE_REAL, .real = value });
}

static void refuse_field(struct et_cursor *c, const struct et_field *f, const void *base)
{
	char wanted[96], is[40] = "";

	if (f->kind == ET_FIELD_DOUBLE)
		snprintf(is, sizeof(is), " = %g", et_field_double(f, base));
	else if (f->kind < ET_FIELD_DOUBLE)
		snprintf(is, sizeof(is), " = %" PRId64, et_field_int(f, base));
	refuse(c, f->name, is, et_field_wants(f, wanted));
}

struct et_value et_value_of(const struct et_field *f, const void *base)
{
	if (et_field_is_missing(f, base))
		return et_sql_text(NULL);
	switch (f->kind) {
	case ET_FIELD_DOUBLE:
		return (struct et_value){ .kind = ET_VALUE_REAL, .real = et_field_double(f, base) };
	case ET_FIELD_ENUM:
	case ET_FIELD_STRING:
	case ET_FIELD_CHARS:
		return et_sql_text(et_field_text(f, base));
	default:
		return et_sql_int(et_field_int(f, base));
	}
}

static void bind_field(struct et_cursor *c, const struct et_field *f, const void *base)
{
	bool valid = et_field_is_valid(f, base);
	struct et_value value = valid ? et_value_of(f, base) : et_sql_text(NULL);

	if (!valid)
		refuse_field(c, f, base);
	else if (value.kind == ET_VALUE_TEXT)
		et_bind_text(c, f->name, value.bytes);
	else
		bind(c, &value);
}

void et_bind_columns(struct et_cursor *c, const struct et_columns *columns, const void *base)
{
	for (const struct et_field *f = et_columns_next(columns, columns->fields); f;
		f = et_columns_next(columns, f + 1))
		bind_field(c, f, base);
}

int et_store_execute(struct et_store *s, enum et_sql which, const struct et_value *values, size_t n,
	struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, which, err);

	for (size_t i = 0; i < n; i++) {
		if (values[i].kind == ET_VALUE_TEXT)
			et_bind_text(&c, "a text", values[i].bytes);
		else
			bind(&c, &values[i]);
	}
	return et_cursor_step(&c);
}

int et_store_execute_alone(struct et_store *s, enum et_sql which, const struct et_value *values,
	size_t n, struct et_error *err)
{
	int rc = et_store_transact(s, err);

	return rc ? rc : et_store_conclude(s, et_store_execute(s, which, values, n, err), err);
}

int et_store_damaged(const struct et_store *s, struct et_error *err, const char *what, ...)
{
	va_list ap;

	va_start(ap, what);
	ET_AUTO_FREE char *text = et_vasprintf(what, ap);
	va_end(ap);
	return et_fail_hint(err, EBADMSG, ET_EXIT_OUTSIDE,
		"the store was damaged or changed by hand", "%s: %s is not as etalon writes it",
		s->db->name, text);
}

static struct et_value read_column(struct et_cursor *c)
{
	struct et_value value;

	c->st->db->ops->column(c->st, c->at++, &value);
	return value;
}

static bool is_text(const struct et_value *value)
{
	return value->kind == ET_VALUE_TEXT && value->bytes && value->size <= MAX_TEXT;
}

bool et_row_int(struct et_cursor *c, int64_t lo, int64_t hi, int64_t *out)
{
	struct et_value value = read_column(c);

	if (value.kind != ET_VALUE_INT || value.integer < lo || value.integer > hi)
		return false;
	*out = value.integer;
	return true;
}

bool et_row_u64(struct et_cursor *c, uint64_t *out)
{
	int64_t value;

	if (!et_row_int(c, 0, INT64_MAX, &value))
		return false;
	*out = (uint64_t)value;
	return true;
}

bool et_row_u32(struct et_cursor *c, uint32_t *out)
{
	int64_t value;

	if (!et_row_int(c, 0, UINT32_MAX, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

uint64_t et_row_count_or_zero(struct et_cursor *c)
{
	uint64_t value;

	return et_row_u64(c, &value) ? value : 0;
}

bool et_row_peek(struct et_cursor *c, const char **out)
{
	struct et_value value = read_column(c);

	if (value.kind != ET_VALUE_NULL && !is_text(&value))
		return false;
	*out = value.kind == ET_VALUE_NULL ? NULL : value.bytes;
	return true;
}

const char *et_row_text_or_empty(struct et_cursor *c)
{
	const char *text;

	return et_row_peek(c, &text) && text ? text : "";
}

bool et_row_text(struct et_cursor *c, char **out)
{
	const char *text;

	if (!et_row_peek(c, &text))
		return false;
	if (text && !et_cursor_spend(c, strlen(text)))
		return false;
	*out = text ? et_strdup(text) : NULL;
	return true;
}

bool et_row_chars(struct et_cursor *c, char *out, size_t size)
{
	const char *text;

	if (!et_row_peek(c, &text))
		return false;
	size_t len = text ? strlen(text) : 0;
	if (len >= size)
		return false;
	memcpy(out, text ? text : "", len + 1);
	return true;
}

bool et_row_name(struct et_cursor *c, const char *const *names, int *out)
{
	const char *name;
	int i = et_row_peek(c, &name) && name ? et_name_index(names, name) : -1;

	if (i < 0)
		return false;
	*out = i;
	return true;
}

bool et_row_words(struct et_cursor *c, char ***out)
{
	struct et_value value = read_column(c);
	const char *word = value.bytes;
	size_t n = 0;

	if (value.kind != ET_VALUE_BLOB || value.size > MAX_WORDS ||
		(value.size && word[value.size - 1] != '\0') || !spend_words(c, word, value.size))
		return false;
	for (size_t i = 0; i < value.size; i++)
		n += word[i] == '\0';
	char **argv = et_calloc(n + 1, sizeof(*argv));
	for (size_t i = 0; i < n; i++) {
		argv[i] = et_strdup(word);
		word += strlen(word) + 1;
	}
	*out = argv;
	return true;
}

bool et_row_blob(struct et_cursor *c, const unsigned char **out, size_t *size)
{
	struct et_value value = read_column(c);

	*out = (const unsigned char *)value.bytes;
	*size = value.size;
	return value.kind == ET_VALUE_BLOB;
}

bool et_row_real(struct et_cursor *c, double lo, double hi, double *out)
{
	struct et_value value = read_column(c);

	if (value.kind == ET_VALUE_INT)
		*out = (double)value.integer;
	else if (value.kind == ET_VALUE_REAL)
		*out = value.real;
	else
		return false;
	return *out >= lo && *out <= hi;
}

static bool row_field(struct et_cursor *c, const struct et_field *f, void *base)
{
	struct et_value value = read_column(c);

	switch (value.kind) {
	case ET_VALUE_NULL:
		et_field_set_missing(f, base);
		return true;
	case ET_VALUE_INT:
		return et_field_set_int(f, base, value.integer);
	case ET_VALUE_REAL:
		return et_field_set_double(f, base, value.real);
	case ET_VALUE_TEXT:
		return is_text(&value) &&
		       (f->kind != ET_FIELD_STRING || et_cursor_spend(c, value.size)) &&
		       et_field_set_text(f, base, value.bytes);
	default:
		return false;
	}
}

const struct et_field *et_row_columns(
	struct et_cursor *c, const struct et_columns *columns, void *base)
{
	for (const struct et_field *f = et_columns_next(columns, columns->fields); f;
		f = et_columns_next(columns, f + 1)) {
		if (!row_field(c, f, base))
			return f;
	}
	return NULL;
}
