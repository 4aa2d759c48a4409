/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packed samples: whatever is read equals what was added, for every field of the tables. */
#include "model/sample/samples.h"
#include "base/base.h"
#include "model/experiment/field.h"
#include "tap.h"

#include <malloc.h>

enum { MANY = 5 * ET_SAMPLES_CHUNK + 17, MOST_CULPRITS = 5 };

static uint64_t state = 1;

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* --- records made of a table of fields --- */

static void set_number(const struct et_field *f, void *base, uint64_t value)
{
	char *to = (char *)base + f->offset;
	uint32_t word = (uint32_t)value;

	if (f->kind == ET_FIELD_U64)
		memcpy(to, &value, sizeof(value));
	else if (f->kind == ET_FIELD_BOOL)
		*(bool *)to = value & 1;
	else
		memcpy(to, &word, sizeof(word));
}

static void set_text(const struct et_field *f, void *base, uint64_t which)
{
	static const char *const texts[] = { "", "sshd", "kworker/0:1-eve", "a", "sshd2" };
	char *to = (char *)base + f->offset;

	if (which % 7 == 6) { /* not terminated: records of others may have that */
		memset(to, 'x', f->size);
		return;
	}
	memset(to, (int)which, f->size);
	snprintf(to, f->size, "%s", texts[which % ET_LENGTH(texts)]);
}

static void set_field(const struct et_field *f, void *base, uint64_t value)
{
	if (f->kind == ET_FIELD_CHARS)
		set_text(f, base, value);
	else
		set_number(f, base, value);
}

static void fill(const struct et_field *fields, void *base, uint64_t (*value)(void))
{
	for (const struct et_field *f = fields; f->name; f++)
		set_field(f, base, value());
}

static uint64_t extreme(void)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, INT64_MAX,
		(uint64_t)INT64_MIN, UINT32_MAX, INT32_MAX, (uint64_t)INT32_MIN, 255, 256 };

	return values[draw() % ET_LENGTH(values)];
}

static uint64_t any_size(void)
{
	return draw() >> draw() % 64;
}

static uint64_t small(void)
{
	return 1000 + draw() % 100;
}

static uint64_t zero(void)
{
	return 0;
}

static bool field_equal(const struct et_field *f, const void *a, const void *b)
{
	if (f->kind != ET_FIELD_CHARS)
		return et_field_int(f, a) == et_field_int(f, b);
	return !strncmp((const char *)a + f->offset, (const char *)b + f->offset, f->size);
}

static const char *first_difference(const struct et_field *fields, const void *a, const void *b)
{
	for (const struct et_field *f = fields; f->name; f++) {
		if (!field_equal(f, a, b))
			return f->name;
	}
	return NULL;
}

/* --- samples --- */

static void make(struct et_sample *s, uint64_t (*value)(void))
{
	*s = (struct et_sample){ 0 };
	fill(et_sample_fields, s, value);
	fill(et_removal_fields, &s->ruling.removal, value);
	s->place.command = 3;
	s->measured.n_culprits = draw() % 3 ? 0 : draw() % (MOST_CULPRITS + 1);
	s->measured.culprits = s->measured.n_culprits
				       ? et_calloc(MOST_CULPRITS, sizeof(*s->measured.culprits))
				       : NULL;
	for (size_t i = 0; i < s->measured.n_culprits; i++)
		fill(et_culprit_fields, &s->measured.culprits[i], value);
}

/* Returns the name of a member in which they differ, or NULL. */
static const char *compare(const struct et_sample *a, const struct et_sample *b)
{
	const char *name = first_difference(et_sample_fields, a, b);

	if (!name)
		name = first_difference(et_removal_fields, &a->ruling.removal, &b->ruling.removal);
	if (a->place.command != b->place.command)
		return "command";
	if (a->measured.n_culprits != b->measured.n_culprits)
		return "n_culprits";
	for (size_t i = 0; !name && i < a->measured.n_culprits; i++)
		name = first_difference(
			et_culprit_fields, &a->measured.culprits[i], &b->measured.culprits[i]);
	return name;
}

struct pair {
	struct et_sample plain[MANY];
	struct et_samples packed;
};

static struct pair *make_pair(uint64_t (*value)(void))
{
	struct pair *p = et_calloc(1, sizeof(*p));

	for (size_t i = 0; i < MANY; i++) {
		make(&p->plain[i], value);
		const struct et_sample *kept = et_samples_add(&p->packed, &p->plain[i]);
		if (kept->place.index != i + 1 || compare(kept, &p->plain[i]))
			printf("# sample %zu changes when it is added\n", i);
	}
	return p;
}

static void free_pair(struct pair *p)
{
	for (size_t i = 0; i < MANY; i++)
		et_sample_free(&p->plain[i]);
	et_samples_free(&p->packed);
	free(p);
}

static bool same_at(const struct pair *p, struct et_sample_reader *r, size_t i)
{
	const struct et_sample *s = et_sample_reader_at(r, i);
	const char *name = compare(s, &p->plain[i]);

	if (name)
		printf("# sample %zu: %s differs\n", i, name);
	return !name && s->place.index == i + 1;
}

static bool all_same(const struct pair *p)
{
	ET_AUTO_READER struct et_sample_reader forward = et_samples_read(&p->packed);
	ET_AUTO_READER struct et_sample_reader anywhere = et_samples_read(&p->packed);
	size_t n = 0;
	bool same = p->packed.n == MANY;

	for (const struct et_sample *s; same && (s = et_sample_reader_next(&forward)); n++)
		same = !compare(s, &p->plain[n]) && s->place.index == n + 1;
	for (size_t i = 0; same && i < 2 * MANY; i++)
		same = same_at(p, &anywhere, draw() % MANY);
	ET_AUTO_READER struct et_sample_reader figures = et_samples_read_figures(&p->packed);
	for (size_t i = 0; same && i < MANY; i++)
		same = !first_difference(
			et_sample_fields, et_sample_reader_at(&figures, i), &p->plain[i]);
	return same && n == MANY;
}

static void test_values(const char *which, uint64_t (*value)(void))
{
	struct pair *p = make_pair(value);

	ok(all_same(p), "samples: %s values are read as they were added", which);
	free_pair(p);
}

/* One field at a time, so that a failure names it. */
static void test_each_field(void)
{
	for (const struct et_field *f = et_sample_fields; f->name; f++) {
		struct pair *p = make_pair(zero);
		struct et_samples packed = { 0 };
		for (size_t i = 0; i < MANY; i++) {
			set_field(f, &p->plain[i], extreme());
			et_samples_add(&packed, &p->plain[i]);
		}
		et_samples_free(&p->packed);
		p->packed = packed;
		ok(all_same(p), "samples: extreme values of %s are read as they were added",
			f->name);
		free_pair(p);
	}
}

/* --- changes --- */

static void test_edit(void)
{
	struct pair *p = make_pair(small);
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&p->packed);
	bool seen = true;

	for (size_t k = 0; k < 500; k++) {
		size_t i = draw() % MANY;
		/* The reader has unpacked a sample of this chunk before. */
		seen = seen && same_at(p, &r, i - i % ET_SAMPLES_CHUNK);
		struct et_sample *s = et_samples_edit(&p->packed, i);
		fill(et_removal_fields, &p->plain[i].ruling.removal, any_size);
		p->plain[i].ruling.marks = (uint32_t)draw();
		s->ruling = p->plain[i].ruling;
		seen = seen && same_at(p, &r, i) && same_at(p, &r, draw() % MANY);
	}
	ok(seen, "samples: a reader sees rulings that change while it reads");
	ok(all_same(p), "samples: changed rulings are kept, and nothing else changes");
	free_pair(p);
}

static void test_sort(void)
{
	struct pair *p = make_pair(small);
	struct et_samples list = { 0 };
	bool in_order = true;

	for (size_t i = 0; i < MANY; i++) {
		p->plain[i].place.order = (uint32_t)((i * 7919) % MANY);
		p->plain[i].place.round = (uint32_t)i;
		et_samples_add(&list, &p->plain[i]);
	}
	et_samples_sort(&list);
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&list);
	for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
		in_order = in_order && s->place.order == s->place.index - 1 &&
			   !compare(s, &p->plain[s->place.round]);
	ok(in_order && list.n == MANY, "samples: sorting orders them and loses nothing");
	et_samples_free(&list);
	free_pair(p);
}

/* --- memory --- */

/* The figures that runs of a short program have, with two culprits in every third sample. */
static void make_usual(struct et_sample *s, uint32_t i)
{
	struct et_culprit *c = s->measured.culprits;

	et_fields_set_missing(et_sample_fields, s);
	s->place.order = s->place.round = i + 1;
	s->measured.started_wall_ns = 1790000000000000000u + i * (uint64_t)1100000 + draw() % 99999;
	s->measured.elapsed_ns = 1000000 + draw() % 500000;
	s->measured.cpu_ns = s->measured.elapsed_ns - draw() % 50000;
	s->measured.counter_ticks = 3 * s->measured.elapsed_ns;
	s->measured.user_ns = draw() % 2 ? s->measured.cpu_ns : 0;
	s->measured.system_ns = s->measured.cpu_ns - s->measured.user_ns;
	s->measured.wait_ns = draw() % 20000;
	s->measured.others_ns = draw() % 50000;
	s->measured.idle_ns = 0;
	s->measured.irq_ns = draw() % 4 ? 0 : draw() % 10000;
	s->measured.softirq_ns = draw() % 4 ? 0 : draw() % 40000;
	s->measured.steal_ns = 0;
	s->measured.max_rss_bytes = 4096 * (200 + draw() % 100);
	s->measured.probe_before_ns = 18200 + draw() % 200;
	s->measured.probe_after_ns = i % 7 ? ET_UNKNOWN : 18200 + draw() % 200;
	s->measured.voluntary_switches = 1;
	s->measured.involuntary_switches = draw() % 3;
	s->measured.cpu_migrations = 0;
	s->measured.major_faults = 0;
	s->measured.minor_faults = 60 + draw() % 8;
	s->measured.n_culprits = i % 3 ? 0 : 2;
	for (size_t k = 0; k < s->measured.n_culprits; k++) {
		set_text(&et_culprit_fields[0], &c[k], draw() % 5);
		c[k].pid = (int32_t)(draw() % 30000);
		c[k].cpu_ns = draw() % 1000000;
		c[k].on_our_cpu_ns = draw() % 20000;
	}
}

/* The allocators of sanitizers and of valgrind do not count: 0. */
static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void test_memory(void)
{
	struct et_culprit culprits[2] = { 0 };
	struct et_sample s = { .measured.culprits = culprits };
	struct et_samples all = { 0 };
	const uint32_t n = 100 * ET_SAMPLES_CHUNK + 1;
	size_t before = allocated();

	for (uint32_t i = 0; i < n; i++) {
		make_usual(&s, i);
		et_samples_add(&all, &s);
	}
	double each = (double)(allocated() - before) / (n - 1);
	if (!before)
		skip("samples: the memory of runs: this allocator does not count");
	else
		ok(each > 10 && each < 100, "samples: runs of a short program take %.0f bytes each",
			each);
	et_samples_free(&all);
}

/* A member without a row in the tables would be lost. */
static size_t bytes_of(const struct et_field *fields)
{
	size_t bytes = 0;

	for (const struct et_field *f = fields; f->name; f++)
		bytes += f->kind == ET_FIELD_CHARS  ? f->size
			 : f->kind == ET_FIELD_U64  ? 8
			 : f->kind == ET_FIELD_BOOL ? 1
						    : 4;
	return bytes;
}

static void test_tables(void)
{
	/* Alignment leaves gaps after warmup, cpu_source, marks and `by`. */
	const size_t gaps = 3 + 4 + 4 + 4;
	const struct et_sample *s = NULL;

	ok(bytes_of(et_sample_fields) + bytes_of(et_removal_fields) + sizeof(s->place.command) +
				sizeof(s->place.index) + sizeof(s->measured.culprits) +
				sizeof(s->measured.n_culprits) + sizeof(s->measured.profile) +
				gaps ==
			sizeof(*s),
		"samples: the tables of fields have every member of a sample");
	ok(bytes_of(et_culprit_fields) + 2 == sizeof(struct et_culprit),
		"samples: the table of fields has every member of a culprit");
}

int main(void)
{
	test_values("extreme", extreme);
	test_values("random", any_size);
	test_values("similar", small);
	test_values("constant", zero);
	test_each_field();
	test_edit();
	test_sort();
	test_memory();
	test_tables();
	return tap_done();
}
