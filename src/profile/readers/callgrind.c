/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the output of callgrind, and of other tools that write its format (the manual of valgrind,
 * "Callgrind Format Specification"). The cost of one event is counted, by default the first. The
 * parts of one process are one run; a file with several processes has as many runs.
 */
#include "base/hash.h"
#include "profile/readers/reader.h"

/* --- the call graph --- */

/*
 * Makes calling contexts of a call graph. callgrind records which function called which and what
 * those calls cost, but not in which context; so we assume, as gprof does, that a call of a
 * function costs the same wherever it comes from. Without recursion the inclusive cost of each
 * function is then the recorded one. The self cost of each function is exact in any case.
 */
struct call_arc {
	uint32_t caller, callee; /* functions of the profile */
	uint64_t cost;           /* inclusive */
};

struct call_graph {
	uint64_t *self; /* by function */
	size_t functions;
	struct call_arc *arcs;
	size_t n_arcs, arcs_room;
	struct et_hash by_pair; /* width 8 */
};

/*
 * A context below this part of the total is not unfolded: its functions keep their cost, but no
 * callers. The number of contexts is bounded, too: a graph of n functions can have 2^n.
 */
static const double least_part = 1e-7;
enum { MOST_CONTEXTS = 1 << 20 };

/* Frees what it owns, and makes it ready for the next run. */
static void clear_graph(struct call_graph *g)
{
	free(g->self);
	free(g->arcs);
	et_hash_free(&g->by_pair);
	*g = (struct call_graph){ .by_pair.width = sizeof(uint64_t) };
}

static void make_room(struct call_graph *g, uint32_t function)
{
	size_t room = 2 * (size_t)function + 16;

	if (function < g->functions)
		return;
	g->self = et_realloc(g->self, room, sizeof(*g->self));
	memset(g->self + g->functions, 0, (room - g->functions) * sizeof(*g->self));
	g->functions = room;
}

/* Returns false if the sum overflows. */
static bool add_call(struct call_graph *g, uint32_t caller, uint32_t callee, uint64_t cost)
{
	uint64_t key = ((uint64_t)caller << 32 | callee) + 1;
	const uint64_t *found = et_hash_find(&g->by_pair, key);

	make_room(g, caller);
	make_room(g, callee);
	/* A recursive call has its cost in that of the call from outside. */
	if (caller == callee)
		return true;
	if (!found) {
		ET_GROW(g->arcs, g->n_arcs, g->arcs_room);
		g->arcs[g->n_arcs] = (struct call_arc){ caller, callee, cost };
		*(uint64_t *)et_hash_put(&g->by_pair, key) = g->n_arcs++;
		return true;
	}
	struct call_arc *a = &g->arcs[*found];
	return !__builtin_add_overflow(a->cost, cost, &a->cost);
}

/* --- unfolding --- */

/* A function of the context that is being unfolded. */
struct level {
	uint32_t function, node;
	double part; /* of the function's cost that is in this context */
	size_t arc;  /* the next one */
};

struct function {
	double cost;   /* inclusive: the larger of what it spent and what its callers paid */
	double paid;   /* by its callers */
	size_t first;  /* arc */
	uint64_t left; /* self cost that no context has yet */
	double part;   /* that contexts have */
	uint32_t node; /* the context with the largest self cost */
	uint64_t most; /* its self cost */
	bool open;     /* it is in the context that is being unfolded */
};

struct unfolding {
	struct call_graph *g;
	struct et_reader *r;
	struct function *f;
	struct level *stack;
	size_t depth, room;
	size_t contexts;
	double least; /* cost of a context that is unfolded */
};

static int by_caller(const void *a, const void *b)
{
	const struct call_arc *x = a, *y = b;

	return ET_ORDER(x->caller, y->caller) ?: ET_ORDER(y->cost, x->cost)
		?: ET_ORDER(x->callee, y->callee);
}

static void prepare(struct unfolding *u)
{
	struct call_graph *g = u->g;
	double total = 0;

	if (g->n_arcs)
		qsort(g->arcs, g->n_arcs, sizeof(*g->arcs), by_caller);
	for (size_t i = 0; i < g->functions; i++) {
		u->f[i].cost = (double)g->self[i];
		u->f[i].left = g->self[i];
		u->f[i].first = g->n_arcs;
		total += (double)g->self[i];
	}
	for (size_t i = g->n_arcs; i-- > 0;) {
		const struct call_arc *a = &g->arcs[i];
		u->f[a->caller].cost += (double)a->cost;
		u->f[a->caller].first = i;
		u->f[a->callee].paid += (double)a->cost;
	}
	for (size_t i = 0; i < g->functions; i++)
		u->f[i].cost = fmax(u->f[i].cost, u->f[i].paid);
	u->least = total * least_part;
}

static void enter(struct unfolding *u, uint32_t parent, uint32_t function, double part)
{
	struct function *f = &u->f[function];
	double share = round((double)u->g->self[function] * part);
	uint64_t self = share < (double)f->left ? (uint64_t)share : f->left;
	uint32_t node = et_reader_node(u->r, parent, function);

	if (self)
		et_reader_add(u->r, node, self, 0);
	f->left -= self;
	f->part += part;
	if (self >= f->most) {
		f->most = self;
		f->node = node;
	}
	f->open = true;
	u->contexts++;
	ET_GROW(u->stack, u->depth, u->room);
	u->stack[u->depth++] = (struct level){ function, node, part, f->first };
}

static void unfold_from(struct unfolding *u, uint32_t function, double part)
{
	enter(u, ET_PROFILE_ROOT, function, part);
	while (!u->r->rc && u->depth) {
		struct level *top = &u->stack[u->depth - 1];
		const struct call_arc *a = &u->g->arcs[top->arc];

		if (top->arc >= u->g->n_arcs || a->caller != top->function) {
			u->f[top->function].open = false;
			u->depth--;
			continue;
		}
		top->arc++;
		double cost = (double)a->cost * top->part;
		if (!u->f[a->callee].open && cost > 0 && cost >= u->least &&
			u->contexts < MOST_CONTEXTS && u->depth < ET_READER_DEEPEST)
			enter(u, top->node, a->callee, cost / u->f[a->callee].cost);
	}
}

/* Adds the contexts and their self costs to the run that is being read. Sorts the arcs. */
static void unfold(struct call_graph *g, struct et_reader *r)
{
	struct unfolding u = { .g = g, .r = r, .f = et_calloc(g->functions + 1, sizeof(*u.f)) };

	prepare(&u);
	for (size_t i = 0; i < g->functions && !r->rc; i++) {
		const struct function *f = &u.f[i];
		if (f->cost > f->paid && u.contexts < MOST_CONTEXTS)
			unfold_from(&u, (uint32_t)i, (f->cost - f->paid) / f->cost);
	}
	/* The self cost that is left: the rest of rounding to a context, others without callers. */
	for (size_t i = 0; i < g->functions && !r->rc; i++) {
		const struct function *f = &u.f[i];
		if (f->left)
			et_reader_add(r,
				f->part < 1 - 1e-9 ? et_reader_node(r, ET_PROFILE_ROOT, (uint32_t)i)
						   : f->node,
				f->left, 0);
	}
	free(u.f);
	free(u.stack);
}

/* --- the file --- */

enum { MOST_EVENTS = 64 };

struct callgrind {
	struct et_reader *r;
	/* Pointers to names that were written once as "(3) name" and are then "(3)". */
	struct et_hash objects, functions;
	struct call_graph graph;
	size_t positions;     /* numbers at the begin of a line of costs */
	size_t event;         /* place of the event's cost after them */
	bool events;          /* the line of events was read */
	bool costs;           /* there were lines of costs since the run began */
	bool summary, totals; /* the part has these lines; the last one ends it */
	char pid[24];         /* of the run */
	char *object;         /* of the function, NULL: not known */
	char *callee_object;  /* of the called function, NULL: the same */
	char *callee_name;    /* NULL: none */
	uint32_t function;    /* ET_PROFILE_NONE: none yet */
	uint32_t callee;      /* of the call whose cost is next */
	bool is_call;         /* the next line of costs is of a call */
};

static bool begins_with_any(const char *line, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(line, words[i], strlen(words[i])))
			return true;
	}
	return false;
}

bool et_is_callgrind(const char *line)
{
	static const char *const heads[] = {
		"version:", "creator:", "pid:", "cmd:", "part:", "desc:", "events:", "positions:"
	};

	return begins_with_any(line, heads, ET_LENGTH(heads));
}

static int fail_line(struct callgrind *c, const char *line)
{
	return et_reader_fail(c->r, "use a file callgrind.out.PID, unchanged",
		"'%.60s' is no line of callgrind's format", line);
}

/* --- names --- */

static void free_names(struct et_hash *names)
{
	char **name;
	size_t at = 0;

	while ((name = et_hash_next(names, &at)))
		free(*name);
	et_hash_free(names);
}

/* Returns the name that the text gives or refers to, of the table; NULL: its number is unknown. */
static const char *name_of(struct callgrind *c, struct et_hash *names, const char *text)
{
	const char *p = text + 1;
	uint64_t number;

	if (text[0] != '(' || !et_reader_digits(&p, 10, &number) || *p != ')' ||
		number == UINT64_MAX)
		return text;
	p += 1 + strspn(p + 1, " \t");
	char **known = *p ? et_hash_put(names, number + 1) : et_hash_find(names, number + 1);
	if (!known) {
		et_reader_fail(c->r,
			"use the whole file callgrind.out.PID: its beginning may be missing",
			"the number of the name '%.30s' was not defined before", text);
		return NULL;
	}
	if (*p) {
		free(*known);
		*known = et_strdup(p);
	}
	return *known;
}

static void set_name(struct callgrind *c, struct et_hash *names, const char *text, char **out)
{
	const char *name = name_of(c, names, text);

	free(*out);
	*out = name ? et_strdup(name) : NULL;
}

static uint32_t find_function(struct callgrind *c, const char *name, const char *object)
{
	bool known = object && strcmp(object, "???") != 0;

	return et_reader_function(c->r, name, known ? object : NULL, ET_SPACE_USER);
}

/* --- lines of costs --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Skips a position: a number, "+3", "-3" or "*". */
static bool skip_position(const char **text)
{
	uint64_t ignored;

	if (**text == '*') {
		++*text;
	} else {
		*text += **text == '+' || **text == '-';
		if (!et_reader_whole(text, &ignored))
			return false;
	}
	if (**text && !is_blank(**text))
		return false;
	*text += strspn(*text, " \t");
	return true;
}

/* Reads the cost of the event from a line of positions and costs. A missing cost is 0. */
static bool read_cost(const struct callgrind *c, const char *text, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < c->positions; i++) {
		if (!skip_position(&text))
			return false;
	}
	for (size_t i = 0; *text; i++) {
		/* Xdebug writes the memory that a function freed as a negative number. */
		bool negative = *text == '-';
		uint64_t cost;
		text += negative;
		if (!et_reader_whole(&text, &cost) || (*text && !is_blank(*text)) ||
			(negative && i == c->event))
			return false;
		text += strspn(text, " \t");
		if (i == c->event)
			*out = cost;
	}
	return true;
}

static int add_cost(struct callgrind *c, const char *line)
{
	struct call_graph *g = &c->graph;
	uint64_t cost;
	bool fits;

	if (!c->events)
		return et_reader_fail(c->r,
			"use the whole file callgrind.out.PID: its beginning may be missing",
			"there are costs before the line 'events:'");
	if (c->function == ET_PROFILE_NONE || !read_cost(c, line, &cost))
		return fail_line(c, line);
	c->costs = true;
	if (c->is_call) {
		fits = add_call(g, c->function, c->callee, cost);
	} else {
		make_room(g, c->function);
		fits = !__builtin_add_overflow(g->self[c->function], cost, &g->self[c->function]);
	}
	c->is_call = false;
	return fits ? 0
		    : et_reader_fail(c->r, "check that the file is complete and unchanged",
			      "the costs are too large");
}

/* "calls=15 3": how often, and where the called function begins. */
static int read_call(struct callgrind *c, const char *text)
{
	const char *end = text;
	uint64_t calls;

	if (!c->callee_name || c->function == ET_PROFILE_NONE || !et_reader_whole(&end, &calls) ||
		(*end && !is_blank(*end)))
		return fail_line(c, text);
	c->callee =
		find_function(c, c->callee_name, c->callee_object ? c->callee_object : c->object);
	et_reader_calls(c->r, c->callee, calls);
	c->is_call = true;
	free(c->callee_name);
	free(c->callee_object);
	c->callee_name = c->callee_object = NULL;
	return 0;
}

/* Reads "fn=(3) name" and the like. */
static void read_spec(struct callgrind *c, const char *line)
{
	/* Files are not read: a function is known by its name and object. Jumps cost nothing. */
	static const char *const ignored[] = {
		"fl=", "fi=", "fe=", "cfi=", "cfl=", "jump=", "jcnd=", "jfi=", "jfn="
	};
	const char *text = strchr(line, '=') + 1;

	text += strspn(text, " \t");
	if (!strncmp(line, "fn=", 3)) {
		const char *name = name_of(c, &c->functions, text);
		c->function = name ? find_function(c, name, c->object) : ET_PROFILE_NONE;
	} else if (!strncmp(line, "cfn=", 4)) {
		set_name(c, &c->functions, text, &c->callee_name);
	} else if (!strncmp(line, "ob=", 3)) {
		set_name(c, &c->objects, text, &c->object);
	} else if (!strncmp(line, "cob=", 4)) {
		set_name(c, &c->objects, text, &c->callee_object);
	} else if (!strncmp(line, "calls=", 6)) {
		read_call(c, text);
	} else if (!begins_with_any(line, ignored, ET_LENGTH(ignored))) {
		fail_line(c, line);
	}
}

/* --- the head --- */

static int end_run(struct callgrind *c)
{
	if (c->summary && !c->totals && !strncmp(c->r->profile->event, "Ir", 3))
		return et_reader_fail(c->r, "profile again, and let the program end by itself",
			"the file is truncated: the line 'totals:' is missing");
	unfold(&c->graph, c->r);
	clear_graph(&c->graph);
	c->costs = c->summary = c->totals = false;
	c->r->run.period = 1;
	c->r->run.counted = c->r->run.samples;
	return et_reader_end_run(c->r);
}

/* Finds the event that is counted among the names of events. */
static void read_events(struct callgrind *c, char *names)
{
	const char *wanted = c->r->wanted, *name;

	for (size_t i = 0; i < MOST_EVENTS; i++) {
		names += strspn(names, " \t");
		name = strsep(&names, " \t");
		if (!*name)
			break;
		if (!wanted || !strcmp(name, wanted)) {
			c->event = i;
			c->events = true;
			et_reader_event(c->r, name);
			return;
		}
		if (!names)
			break;
	}
	et_reader_fail(c->r,
		"the line 'events:' of the file lists them; choose one with --event NAME",
		wanted ? "it does not count '%.40s'" : "it names no events", wanted ? wanted : "");
}

static void read_positions(struct callgrind *c, const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p; n++) {
		p += strcspn(p, " \t");
		p += strspn(p, " \t");
	}
	if (n < 1 || n > 3)
		fail_line(c, text);
	c->positions = n;
}

static void read_head(struct callgrind *c, char *line)
{
	char *text = strchr(line, ':') + 1;

	text += strspn(text, " \t");
	if (!strncmp(line, "events:", 7)) {
		read_events(c, text);
	} else if (!strncmp(line, "positions:", 10)) {
		read_positions(c, text);
	} else if (!strncmp(line, "pid:", 4)) {
		if (c->costs && strncmp(c->pid, text, sizeof(c->pid) - 1) != 0)
			end_run(c); /* another process is another run */
		snprintf(c->pid, sizeof(c->pid), "%s", text);
	} else if (!strncmp(line, "cmd:", 4) && *text) {
		et_reader_command(c->r, text);
	}
	c->summary = c->summary || !strncmp(line, "summary:", 8);
	c->totals = c->totals || !strncmp(line, "totals:", 7);
}

static void read_line(struct callgrind *c, char *line)
{
	size_t letters = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (!line[strspn(line, " \t")] || line[0] == '#')
		return;
	if (letters && line[letters] == ':')
		read_head(c, line);
	else if (letters && line[letters] == '=')
		read_spec(c, line);
	else if (letters)
		fail_line(c, line);
	else
		add_cost(c, line);
}

int et_read_callgrind(struct et_reader *r)
{
	struct callgrind c = { .r = r,
		.positions = 1,
		.function = ET_PROFILE_NONE,
		.objects.width = sizeof(char *),
		.functions.width = sizeof(char *),
		.graph.by_pair.width = sizeof(uint64_t) };
	char *line;

	while (et_reader_line(r, &line) > 0)
		read_line(&c, line);
	if (!r->rc)
		end_run(&c);
	clear_graph(&c.graph);
	free_names(&c.objects);
	free_names(&c.functions);
	free(c.object);
	free(c.callee_object);
	free(c.callee_name);
	return r->rc;
}
