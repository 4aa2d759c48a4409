/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in the texts of a plan, and the folders in which the builds of its treatments are kept. */
#include "designs.h"

static struct et_error err;

static void fills(
	const struct et_experiment *e, uint32_t command, const char *text, const char *want)
{
	ET_AUTO_FREE char *got = NULL;

	if (et_doe_fill(e, command, text, &got, &err))
		printf("# %s\n", err.what);
	is_str(got, want, "fill: '%s' under command %u", text, command);
}

static void refuses(const struct et_experiment *e, const char *text, const char *what)
{
	char *got = NULL;

	ok(et_doe_fill(e, 0, text, &got, &err) < 0 && err.exit == ET_EXIT_USAGE && !got &&
			strstr(err.what, what),
		"fill: '%s' is refused", text);
}

static void levels(void)
{
	struct et_experiment e;

	begin(&e, "cc {opt}", "./loop {n}");
	fills(&e, 0, "cc {opt} -DN={n}", "cc -O0 -DN=1");
	fills(&e, 1, "cc {opt} -DN={n}", "cc -O2 -DN=1");
	fills(&e, 2, "cc {opt} -DN={n}", "cc -O0 -DN=9");
	fills(&e, 3, "${opt} {n}{n}", "${opt} 99");
	refuses(&e, "cc {optt}", "optt");
	ET_AUTO_FREE char *folder = et_doe_build_folder(&e, 0);
	ET_AUTO_FREE char *quoted = et_asprintf("'%s'/loop", folder);
	fills(&e, 0, "{build}/loop", quoted);
	end(&e);
	begin(&e, NULL, "./loop {n}");
	refuses(&e, "{build}/loop", "the program has no build");
	ok(!et_doe_build_folder(&e, 0), "folder: a program without a build has none");
	ok(et_doe_build_kept(&e, 0), "folder: nothing is missing of a program without a build");
	end(&e);
}

/* The same words, whatever their order. */
static bool has_all(const char *text)
{
	return strlen(text) == strlen("a.o 'b c.o' d.o") && strstr(text, "a.o") &&
	       strstr(text, "'b c.o'") && strstr(text, "d.o");
}

static void link_orders(void)
{
	struct et_experiment e;
	ET_AUTO_FREE char *first = NULL, *again = NULL, *other = NULL;
	size_t differ = 0;

	begin(&e, "ld {order}", "./loop");
	struct et_design_factor *f =
		add_factor(e.design, "order", ET_KIND_LINK_ORDER, "given", "reversed");
	f->objects = words("a.o", "b c.o", "d.o");
	et_design_add_treatment(e.design, (uint32_t[]){ 0, 0, 0 });
	et_design_add_treatment(e.design, (uint32_t[]){ 0, 0, 1 });
	fills(&e, 4, "ld {order}", "ld a.o 'b c.o' d.o");
	fills(&e, 5, "ld {order}", "ld d.o 'b c.o' a.o");
	for (uint64_t seed = 0; seed < 20; seed++) {
		ET_AUTO_FREE char *one = NULL, *two = NULL;
		free(f->levels[1]);
		f->levels[1] = et_asprintf("random:%d", (int)seed);
		if (et_doe_fill(&e, 5, "{order}", &one, &err) ||
			et_doe_fill(&e, 5, "{order}", &two, &err) || strcmp(one, two) ||
			!has_all(one))
			differ = 1000;
		differ += strcmp(one, "a.o 'b c.o' d.o") != 0;
	}
	ok(differ > 5 && differ <= 20,
		"link order: a seed gives one permutation of all words, and seeds give several");
	end(&e);
}

static int check(enum et_kind kind, const char *level, char **objects)
{
	char *const levels[] = { (char *)level, NULL };
	struct et_design_factor f = { .name = (char *)"f",
		.kind = kind,
		.levels = (char **)levels,
		.n_levels = 1,
		.objects = objects };

	memset(&err, 0, sizeof(err));
	return et_doe_build_check(&f, 0, &err);
}

static void checks(void)
{
	char **two = words("a.o", "b.o", NULL), **one = words("a.o", NULL, NULL);

	ok(check(ET_KIND_COMPILER, "sh -pipe", NULL) == 0,
		"compiler: the first word of a level is a program of PATH");
	ok(check(ET_KIND_COMPILER, "no-such-cc -O2", NULL) == -ENOENT &&
			err.exit == ET_EXIT_ENVIRONMENT && strstr(err.what, "'no-such-cc'"),
		"compiler: a level without a program is named");
	ok(check(ET_KIND_COMPILER, "'sh", NULL) < 0, "compiler: an open quote is refused");
	ok(check(ET_KIND_OPTIMISATION, "-O9", NULL) == 0, "optimisation: any text is a level");
	ok(check(ET_KIND_LINK_ORDER, "given", two) == 0 &&
			check(ET_KIND_LINK_ORDER, "reversed", two) == 0 &&
			check(ET_KIND_LINK_ORDER, "random:7", two) == 0,
		"link order: three kinds of order exist");
	ok(check(ET_KIND_LINK_ORDER, "random:x", two) < 0 &&
			check(ET_KIND_LINK_ORDER, "random:-1", two) < 0 &&
			check(ET_KIND_LINK_ORDER, "random", two) < 0,
		"link order: a seed is a whole number");
	ok(check(ET_KIND_LINK_ORDER, "given", one) < 0 &&
			check(ET_KIND_LINK_ORDER, "given", NULL) < 0,
		"link order: one word has no order");
	et_strv_free(two);
	et_strv_free(one);
}

/* Returns whether a change of the experiment gives its command 0 another folder. */
static bool moves(const struct et_experiment *e, const char *before)
{
	ET_AUTO_FREE char *now = et_doe_build_folder(e, 0);

	if (strlen(now) != strlen(before))
		tap_bail("the length of a path moves the stack of a program: %s", now);
	return strcmp(now, before) != 0;
}

static void folders(void)
{
	struct et_experiment e;

	begin(&e, "cc {opt}", "./loop {n}");
	ET_AUTO_FREE char *a = et_doe_build_folder(&e, 0), *b = et_doe_build_folder(&e, 1);
	ET_AUTO_FREE char *c = et_doe_build_folder(&e, 2);
	ok(strcmp(a, b) && !strcmp(a, c),
		"folder: factors that the build does not name share a folder");
	ok(!moves(&e, a), "folder: the same plan finds it again");
	e.child.directory = (char *)"/usr";
	ok(moves(&e, a), "folder: a build in another directory has another");
	e.child.directory = work;
	snprintf(e.member.campaign, sizeof(e.member.campaign), "c");
	snprintf(e.member.node, sizeof(e.member.node), "n1");
	ok(moves(&e, a), "folder: a machine of a campaign has its own");
	ET_AUTO_FREE char *node = et_doe_build_folder(&e, 0);
	snprintf(e.member.node, sizeof(e.member.node), "n2");
	ok(moves(&e, node), "folder: another machine that shares the home has another");
	end(&e);
	begin(&e, "cc {opt} ", "./loop {n}");
	ok(moves(&e, a), "folder: another build command has another");
	end(&e);
	begin(&e, "cc {opt}", "./{n}/loop");
	ET_AUTO_FREE char *one = et_doe_build_folder(&e, 0), *nine = et_doe_build_folder(&e, 2);
	ok(strcmp(one, nine), "folder: a factor in the path of the product decides, too");
	end(&e);
	begin(&e, "cc {opt}", "./loop {n}");
	struct et_design_factor *f = &e.design->factors[0];
	f->kind = ET_KIND_LINK_ORDER;
	f->objects = words("a.o", "b.o", NULL);
	ok(moves(&e, a), "folder: other objects have another");
	end(&e);
}

/* The program that a command runs after its build; the caller frees it. NULL: it is refused. */
static char *runs(const struct et_experiment *e, uint32_t command)
{
	char *argv[] = { et_strdup("./loop"), NULL };

	memset(&err, 0, sizeof(err));
	if (et_doe_build_use(e, command, argv, &err) == 0)
		return argv[0];
	free(argv[0]);
	return NULL;
}

static void products(void)
{
	static const struct {
		const char *build, *command, *file, *label; /* file: of the copy; NULL: as it was */
	} table[] = {
		{ "cc {opt}", "./loop {n}", "/loop", "a copy of each of two builds is run" },
		{ "cc {opt}", "./loop-{opt}", "/program",
			"a copy has one name if levels are part of it" },
		{ "cc {opt} -o {build}/x", "{build}/x", NULL,
			"a command that names {build} is left alone" },
		{ "cc", "./loop {n}", NULL, "the only build is run where it is" },
		{ NULL, "./loop {n}", NULL, "a program without a build is left alone" },
	};
	struct et_experiment e;

	for (size_t i = 0; i < ET_LENGTH(table); i++) {
		begin(&e, table[i].build, table[i].command);
		ET_AUTO_FREE char *folder = et_doe_build_folder(&e, 1), *got = runs(&e, 1);
		ET_AUTO_FREE char *want = table[i].file ? et_asprintf("%s%s", folder, table[i].file)
							: et_strdup("./loop");
		is_str(got, want, "product: %s", table[i].label);
		end(&e);
	}
	begin(&e, "cc {opt}", "loop {n}");
	ok(!runs(&e, 0) && err.exit == ET_EXIT_USAGE && strstr(err.what, "a program of PATH"),
		"product: several builds of a program of PATH are refused");
	end(&e);
	begin(&e, "cc {opt}", "./loop {n}");
	e.child.shell = (char *)"sh -c";
	ok(!runs(&e, 0) && strstr(err.what, "a shell runs its command"),
		"product: several builds that a shell starts are refused");
	ok(!et_doe_build_kept(&e, 0), "product: a refused build is not in the cache");
	end(&e);
}

int main(void)
{
	use_folders();
	levels();
	link_orders();
	checks();
	folders();
	products();
	remove_folders();
	return tap_done();
}
