/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plan files that are accepted: what they become, and the places of their parts. */
#include "read_plan.h"

static struct et_error err;

static const char example[] = "name: environment size and work\n"
			      "programs:\n"
			      "  - name: loop\n"
			      "    command: etalon put inc --iterations {work}\n"
			      "factors:\n"
			      "  - name: work\n"
			      "    kind: parameter\n"
			      "    levels: [30000000, 31500000]\n"
			      "  - name: pad\n"
			      "    kind: environment-size\n"
			      "    levels: [0, 512]\n"
			      "design: full\n"
			      "replications: 31\n"
			      "discard: 1\n"
			      "order: random\n"
			      "seed: 5\n"
			      "response: pt\n"
			      "run: { warmup: 0, cpu: 1 }\n"
			      "hooks: { setup: a, between: 'b {pad}' }\n";

static void check_design(const struct et_design *d)
{
	is_str(d->name, "environment size and work", "example: the name");
	is_str(d->source, example, "example: the text is kept");
	ok(d->n_programs == 1 && d->n_factors == 2, "example: one program, two factors");
	is_str(d->programs[0].command, "etalon put inc --iterations {work}",
		"example: the command keeps its braces");
	ok(d->factors[0].kind == ET_KIND_PARAMETER &&
			d->factors[1].kind == ET_KIND_ENVIRONMENT_SIZE,
		"example: the kinds of the factors");
	is_str(d->factors[0].levels[1], "31500000", "example: a level is the text of the file");
	ok(d->n_treatments == 4, "example: four treatments");
	is_str(d->treatments[1].name, "work=31500000,pad=0",
		"example: the first factor changes fastest");
	ok(d->replications == 31 && d->discard == 1, "example: 31 replications, one discarded");
	is_str(d->response, "pt", "example: the response");
	is_str(d->setup, "a", "example: the hook setup");
	is_str(d->between, "b {pad}", "example: the hook between");
}

static void check_example(void)
{
	struct et_plan_file p;

	if (!ok(read_plan(example, &p, &err) == 0, "example: it is accepted"))
		tap_bail("%s", err.what);
	check_design(p.design);
	ok(p.order == ET_ORDER_RANDOM, "example: the order");
	ok(p.has_seed && p.seed == 5, "example: the seed");
	ok(p.n_options == 2, "example: two options of run");
	is_str(p.options[1].name, "cpu", "example: the name of an option");
	is_str(p.options[1].value, "1", "example: the value of an option");
	ok(p.options[1].at.line == 18 && p.options[1].at.column == 19,
		"example: the place of an option");
	ok(p.factors[1].levels[1].line == 11 && p.factors[1].levels[1].column == 17,
		"example: the place of a level");
	ok(p.factors[1].name.line == 9 && p.factors[1].name.column == 11,
		"example: the place of a factor");
	ok(p.programs[0].command.line == 4 && p.programs[0].command.column == 14,
		"example: the place of a command");
	ok(et_plan_runs(p.design) == 124, "example: 4 treatments and 31 replications are 124 runs");
	et_fail(&err, 22, ET_EXIT_ENVIRONMENT, "no");
	ok(et_plan_locate(&p, p.factors[1].levels[1], -22, &err) == -22 &&
			err.exit == ET_EXIT_ENVIRONMENT,
		"locate: the error stays the same");
	is_str(err.what, "p:11:17: no", "locate: the error names the place");
	et_plan_file_free(&p);
}

#define PROGRAMS "programs: [{ name: p, command: 'c {a} {b} {c} {d}' }]\n"
#define FOUR                                                                                       \
	"factors:\n"                                                                               \
	"- { name: a, kind: parameter, levels: [1, 2] }\n"                                         \
	"- { name: b, kind: parameter, levels: [1, 2] }\n"                                         \
	"- { name: c, kind: parameter, levels: [1, 2] }\n"                                         \
	"- { name: d, kind: parameter, levels: [1, 2] }\n"

static void check_defaults(void)
{
	struct et_plan_file p;

	if (!ok(read_plan("name: n\n" PROGRAMS FOUR, &p, &err) == 0, "defaults: accepted"))
		tap_bail("%s", err.what);
	ok(p.design->replications == 31 && p.design->discard == 1,
		"defaults: 31 replications, one discarded");
	ok(p.order == ET_ORDER_RANDOM, "defaults: random order");
	ok(!p.has_seed, "defaults: no seed");
	is_str(p.design->response, "pt", "defaults: CPU time");
	ok(p.design->blocks == ET_BLOCKS_NONE && p.design->n_treatments == 16,
		"defaults: a full design without blocks");
	et_plan_file_free(&p);
	ok(read_plan("name: n\nreplications: 1\n" PROGRAMS FOUR, &p, &err) == 0 &&
			!p.design->discard,
		"defaults: the only replication is not discarded");
	et_plan_file_free(&p);
}

static void check_designs(void)
{
	struct et_plan_file p;

	if (!ok(read_plan("name: n\n" PROGRAMS FOUR
			  "design: { fractional: { generators: [d = a b c] }, blocks: machine }\n",
			&p, &err) == 0,
		    "fractional: accepted"))
		tap_bail("%s", err.what);
	ok(p.design->n_treatments == 8, "fractional: half of the 16 treatments");
	is_str(p.design->factors[3].generator, "a b c", "fractional: the generator is kept");
	ok(p.design->blocks == ET_BLOCKS_MACHINE, "blocks: machine, beside a fraction");
	et_plan_file_free(&p);
	ok(read_plan("name: n\n" PROGRAMS FOUR
		     "design: { fractional: { generators: [d = -a*b*c] } }\n",
		   &p, &err) == 0 &&
			p.design->n_treatments == 8 && p.design->treatments[0].levels[3],
		"fractional: by a generator with a minus, d is + where a, b and c are -");
	et_plan_file_free(&p);
	ok(read_plan("name: n\n" PROGRAMS FOUR "design: { blocks: round }\n", &p, &err) == 0 &&
			p.design->blocks == ET_BLOCKS_ROUND && p.design->n_treatments == 16,
		"blocks: round");
	et_plan_file_free(&p);
}

static void check_values(void)
{
	struct et_plan_file p;

	if (!ok(read_plan("name: n\n"
			  "programs: [{ name: p, command: '{build}/c ${o}', input: f, build: 'make "
			  "O={o} {order}' "
			  "}]\n"
			  "factors:\n"
			  "- { name: o, kind: optimisation, levels: [-O2, -O3] }\n"
			  "- { name: order, kind: link-order, objects: [a.o, b.o],\n"
			  "    levels: [given, reversed, 'random:7'] }\n"
			  "- { name: v, kind: environment, variable: V, levels: ['', \"null\"] }\n"
			  "response: { profile: main }\n"
			  "run: { prepare: [a, b], no-probe: true }\n",
			&p, &err) == 0,
		    "values: accepted"))
		tap_bail("%s", err.what);
	is_str(p.design->response, "profile:main", "values: a profile's function");
	is_str(p.design->programs[0].input, "f", "values: the input");
	is_str(p.design->factors[2].variable, "V", "values: the variable");
	is_str(p.design->factors[2].levels[0], "", "values: a level can be empty in quotes");
	is_str(p.design->factors[2].levels[1], "null", "values: null in quotes is a text");
	is_str(p.design->factors[1].objects[1], "b.o", "values: the objects");
	ok(p.n_options == 3, "values: an option with a list is given as often");
	is_str(p.options[1].value, "b", "values: the second value of an option");
	et_plan_file_free(&p);
}

static void check_size(void)
{
	struct et_design d = { .n_treatments = 100, .n_programs = 10, .replications = 11 };

	ok(et_plan_check_size(&d, false, &err) < 0, "size: 11000 runs must be confirmed");
	is_str(err.what,
		"the experiment has 11000 runs (100 treatments, 10 programs, 11 replications), "
		"more "
		"than 10000",
		"size: the error has the limit and the size");
	ok(et_plan_check_size(&d, true, &err) == 0, "size: 11000 runs, confirmed");
	d.replications = 10;
	ok(et_plan_check_size(&d, false, &err) == 0, "size: 10000 runs need no confirmation");
}

/* A factor may be set by a hook alone, and a machine restarts in standard order only. */
static void check_hooks(void)
{
	struct et_plan_file p;

	if (!ok(read_plan("name: n\nprograms: [{ name: p, command: c }]\norder: yates\n"
			  "factors: [{ name: a, kind: parameter, levels: [1, 2] }]\n"
			  "hooks: { between: 'set {a}', reboot: systemctl reboot }\n",
			&p, &err) == 0,
		    "hooks: a plan whose hook sets the factor is accepted"))
		tap_bail("%s", err.what);
	is_str(p.design->reboot, "systemctl reboot", "hooks: the hook reboot is read");
	et_plan_file_free(&p);
}

int main(void)
{
	check_hooks();
	check_example();
	check_defaults();
	check_designs();
	check_values();
	check_size();
	return tap_done();
}
