/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The design of an experiment: it comes back from the store and from a record, or is refused. */
#include "fresh_store.h"
#include "specimen.h"
#include "store/core/cursor.h"
#include "store/import/import.h"

#include <errno.h>
#include <unistd.h>

static void set_design(const char *text)
{
	ET_AUTO_FREE char *sql = et_asprintf("UPDATE experiment SET design = '%s'", text);
	struct et_store *s = open_store();

	if (s->db->ops->script(s->db, sql, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
}

struct seen {
	bool design;
};

static int see(void *ctx, const struct et_summary *s)
{
	((struct seen *)ctx)->design = s->design;
	return 0;
}

static void test_store(void)
{
	struct et_store *s = open_store();
	struct et_experiment *e = specimen("20251115-085506-000001"), *back;
	struct seen seen = { 0 };

	specimen_design(e);
	ok(et_store_begin(s, e, &err) == 0, "design: an experiment with one is kept");
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back), "design: it comes back from the store unchanged");
	is_str(back->design->treatments[1].name, "pad=a, \"b\",order=0",
		"design: a treatment is named after its levels");
	ok(et_store_list(s, 0, see, &seen, &err) == 0 && seen.design,
		"design: the list of experiments shows it");
	et_experiment_free(back);
	et_store_close(s);

	static const char *const damage[] = { "", "7", "[]", "{", "{}", "null" };
	for (size_t i = 0; i < ET_LENGTH(damage); i++) {
		set_design(damage[i]);
		back = load_afresh(e->id);
		bool named = strstr(err.what, "its design");
		ok(!back && named && err.exit == ET_EXIT_OUTSIDE,
			"design: a damaged one is refused: %s", damage[i]);
		et_experiment_free(back);
	}
	ET_AUTO_FREE char *text = et_design_text(e->design, true);
	set_design(text);
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back), "design: the text of the store is that of the model");
	et_experiment_free(back);
	et_experiment_free(e);
}

static int import_design(const char *design, struct et_experiment **out)
{
	ET_AUTO_FREE char *text = et_asprintf(
		"{\"etalon\":1,\"design\":%s,\"commands\":[{\"name\":\"a\",\"samples\":["
		"{\"order\":1,\"et_ns\":7}]},{\"name\":\"b\",\"samples\":[]}]}",
		design);
	struct et_import_options o = { .name = "FILE", .wall_ns = 1, .random = 2 };

	err = (struct et_error){ 0 };
	*out = NULL;
	return et_import(text, strlen(text), &o, out, &err);
}

static void test_record(void)
{
	struct et_experiment *e = specimen("20251115-085506-000001"), *back;

	specimen_design(e);
	ET_AUTO_FREE char *text = et_design_text(e->design, true);
	ok(import_design(text, &back) == 0, "design: it is read from a record: %s", err.what);
	ET_AUTO_FREE char *again = et_design_text(back->design, true);
	is_str(again, text, "design: a record has all of it");
	et_experiment_free(back);
	ET_AUTO_FREE char *without = et_design_text(e->design, false);
	ok(!strstr(without, "source") && strstr(text, "\"source\""),
		"design: its text is made without the plan file's, too");
	ok(import_design("null", &back) == 0 && !back->design, "design: null stands for none");
	et_experiment_free(back);
	et_experiment_free(e);
}

static void test_bad_records(void)
{
#define HEAD "{\"name\":\"n\",\"replications\":3,\"discard\":1,"
#define F "{\"name\":\"f\",\"kind\":\"parameter\",\"levels\":[\"1\",\"2\"]}"
#define FACTORS HEAD "\"factors\":[" F "],"
#define PROGRAMS FACTORS "\"programs\":[{\"name\":\"p\"}],"
	static const char *const list[][2] = {
		{ "7", "design: is not an object" },
		{ "{}", "design.factors: is not a list of 1 to 64" },
		{ "{\"replications\":0}", "design.replications" },
		{ "{\"replications\":1e30}", "design.replications" },
		{ "{\"replications\":4294967296}", "design.replications" },
		{ "{\"discard\":-1}", "design.discard" },
		{ "{\"blocks\":\"wood\"}", "design.blocks" },
		{ "{\"name\":7}", "design.name" },
		{ "{\"source\":[]}", "design.source" },
		{ HEAD "\"factors\":{}}", "design.factors" },
		{ HEAD "\"factors\":[7]}", "design.factors[0]: is not an object" },
		{ HEAD "\"factors\":[{\"kind\":\"parameter\"}]}", "has no name" },
		{ HEAD "\"factors\":[{\"name\":\"f\",\"kind\":\"moon\"}]}", "no kind 'moon'" },
		{ HEAD "\"factors\":[{\"name\":\"f\"}]}", "design.factors[0].kind" },
		{ HEAD "\"factors\":[{\"name\":\"f\",\"kind\":\"nice\"}]}", "has no levels" },
		{ HEAD "\"factors\":[{\"name\":\"f\",\"kind\":\"nice\",\"levels\":[1]}]}",
			"design.factors[0].levels[0]: is not a string" },
		{ FACTORS "\"programs\":[]}", "design.programs" },
		{ FACTORS "\"programs\":[{}]}", "design.programs[0]: has no name" },
		{ PROGRAMS "\"treatments\":[]}", "design.treatments" },
		{ PROGRAMS "\"treatments\":[[0]]}", "design.treatments[0]: is not an object" },
		{ PROGRAMS "\"treatments\":[{}]}", "levels: is not a list of 1 numbers" },
		{ PROGRAMS "\"treatments\":[{\"levels\":[0,0]}]}", "is not a list of 1 numbers" },
		{ PROGRAMS "\"treatments\":[{\"levels\":[2]}]}", "is not a level of 'f'" },
		{ PROGRAMS "\"treatments\":[{\"levels\":[-1]}]}", "is not a level of 'f'" },
		{ PROGRAMS "\"treatments\":[{\"levels\":[4294967296]}]}", "is not a level" },
		{ PROGRAMS "\"treatments\":[{\"levels\":[0.0]}]}", "is not a level of 'f'" },
		{ PROGRAMS "\"treatments\":[{\"levels\":[0]}]}",
			"1 treatments of 1 programs, but there are 2 commands" },
		{ PROGRAMS "\"treatments\":[{\"levels\":[1]},{\"levels\":[1]}]}", "twice" },
		{ "{\"name\":\"n\",\"replications\":1,\"discard\":1,\"factors\":[" F
		  "],\"programs\":[{\"name\":\"p\"}],\"treatments\":[{\"levels\":[0]},"
		  "{\"levels\":[1]}]}",
			"discards 1 of 1" },
	};
	struct et_experiment *e;

	for (size_t i = 0; i < ET_LENGTH(list); i++) {
		int rc = import_design(list[i][0], &e);
		ok(rc == -EINVAL && err.exit == ET_EXIT_USAGE && strstr(err.what, list[i][1]),
			"design: damage is refused: %s", rc ? err.what : list[i][0]);
		et_experiment_free(e);
	}
	ok(import_design(PROGRAMS "\"treatments\":[{\"levels\":[0]},{\"levels\":[1]}]}", &e) == 0,
		"design: the same without damage is read: %s", err.what);
	et_experiment_free(e);
#undef HEAD
#undef F
#undef FACTORS
#undef PROGRAMS
}

/* A record of a few MiB must not make names of several GiB. */
static void test_bomb(void)
{
	enum { LEVEL = 40000, LEVELS = 1000 };
	char *text = et_calloc(LEVEL + LEVELS * 100, 1), *p = text;
	struct et_experiment *e;

	p += sprintf(p, "{\"name\":\"n\",\"replications\":3,\"factors\":[{\"name\":\"f\",\"kind\":"
			"\"parameter\",\"levels\":[\"");
	memset(p, 'x', LEVEL);
	p += LEVEL;
	p += sprintf(p, "\"]}],\"programs\":[{\"name\":\"p\"}],\"treatments\":[");
	for (int i = 0; i < LEVELS; i++)
		p += sprintf(p, "%s{\"levels\":[0]}", i ? "," : "");
	sprintf(p, "]}");
	ok(import_design(text, &e) == -EINVAL && strstr(err.what, "too long levels"),
		"design: treatments of very long levels are refused: %s", err.what);
	et_experiment_free(e);
	free(text);
}

int main(void)
{
	make_folder();
	test_store();
	test_record();
	test_bad_records();
	test_bomb();
	ET_AUTO_FREE char *remove = et_asprintf("rm -rf %s", folder);
	ok(system(remove) == 0, "the folder is removed");
	return tap_done();
}
