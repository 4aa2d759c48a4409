/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/treat/treatment.h"
#include "base/parse.h"
#include "measure/child/environ.h"

/* --- factors that cannot be varied together --- */

static bool sets_variables(const struct et_design_factor *f)
{
	return f->kind == ET_KIND_ENVIRONMENT || f->kind == ET_KIND_ENVIRONMENT_SIZE ||
	       f->kind == ET_KIND_ENVIRONMENT_NAME || f->kind == ET_KIND_THREADS ||
	       f->kind == ET_KIND_AFFINITY;
}

/* The last is LLVM's, which would overrule the others; it is never set. */
static const char *const affinity_variables[] = { "GOMP_CPU_AFFINITY", "OMP_PLACES",
	"OMP_PROC_BIND", "KMP_AFFINITY" };

/* The i-th variable that a factor sets under some level; NULL: there are no more. */
static const char *variable_of(const struct et_design_factor *f, size_t i)
{
	if (f->kind == ET_KIND_ENVIRONMENT_NAME)
		return i < f->n_levels ? f->levels[i] : NULL;
	if (f->kind == ET_KIND_AFFINITY)
		return i < ET_LENGTH(affinity_variables) ? affinity_variables[i] : NULL;
	if (i || !sets_variables(f))
		return NULL;
	return f->kind == ET_KIND_THREADS ? "OMP_NUM_THREADS" : et_treatment_variable(f);
}

static bool sets_variable(const struct et_design_factor *f, const char *name, size_t len)
{
	const char *own;

	for (size_t i = 0; (own = variable_of(f, i)); i++) {
		if (strlen(own) == len && !strncmp(own, name, len))
			return true;
	}
	return false;
}

static int check_pair(
	const struct et_design_factor *a, const struct et_design_factor *b, struct et_error *err)
{
	const char *name;
	enum et_kind_scope scope = et_factor_kinds[a->kind].scope;

	for (size_t i = 0; (name = variable_of(a, i)); i++) {
		if (sets_variable(b, name, strlen(name)))
			return et_refuse(err, "omit one of them, or name another variable",
				"factors %s and %s both set the variable %s", a->name, b->name,
				name);
	}
	if (a->kind != b->kind || sets_variables(a) ||
		(scope != ET_SCOPE_CHILD && scope != ET_SCOPE_AROUND))
		return 0;
	return et_refuse(err, "omit one of them, or make one factor with the levels of both",
		"factors %s and %s are both of kind %s", a->name, b->name,
		et_factor_kinds[a->kind].name);
}

int et_treatments_check(const struct et_experiment *e, size_t *factor, struct et_error *err)
{
	const struct et_design *d = e->design;
	int rc = 0;

	for (size_t i = 0; d && rc == 0 && i < d->n_factors; i++) {
		if (factor)
			*factor = i;
		for (size_t k = 0; rc == 0 && k < i; k++)
			rc = check_pair(&d->factors[k], &d->factors[i], err);
	}
	return rc;
}

/* --- environment --- */

/* Shared by all treatments while they are made. */
struct maker {
	const char *root;
	const struct et_experiment *e;
	const cpu_set_t *allowed; /* NULL: not known */
	char **base;              /* variables that no factor sets */
	size_t n_base;
	/* Reading the topology takes a while, and a design may have 100,000 commands. */
	struct order {
		bool known;
		cpu_set_t cpus;
		int list[CPU_SETSIZE];
		size_t n;
	} orders[ET_PLACE_SCATTER + 1];
};

struct variables {
	char **list;
	size_t n, cap;
};

static void add_variable(struct variables *v, char *text)
{
	ET_GROW(v->list, v->n, v->cap);
	v->list[v->n++] = text;
}

static void make_base(struct maker *m, char *const *envp)
{
	const char pad[] = ET_PAD_VARIABLE "=";
	const struct et_design *d = m->e->design;
	struct variables v = { 0 };

	for (; *envp; envp++) {
		bool varied = !strncmp(*envp, pad, strlen(pad));
		for (size_t i = 0; !varied && i < d->n_factors; i++)
			varied = sets_variable(&d->factors[i], *envp, strcspn(*envp, "="));
		if (!varied)
			add_variable(&v, et_strdup(*envp));
	}
	m->n_base = v.n;
	add_variable(&v, NULL);
	m->base = v.list;
}

static char *padded(const char *name, size_t bytes)
{
	size_t len = strlen(name);
	char *text = et_alloc(len + 1 + bytes + 1);

	memcpy(text, name, len);
	text[len] = '=';
	memset(text + len + 1, 'x', bytes);
	text[len + 1 + bytes] = '\0';
	return text;
}

/* The same CPUs in libgomp's own spelling and in that of OpenMP, one place per CPU. */
static void add_affinity(struct variables *v, const int *cpus, size_t n)
{
	ET_AUTO_FREE char *list = NULL, *places = NULL;

	for (size_t i = 0; i < n; i++) {
		et_append(&list, " ", "%d", cpus[i]);
		et_append(&places, ",", "{%d}", cpus[i]);
	}
	add_variable(v, et_asprintf("GOMP_CPU_AFFINITY=%s", list));
	add_variable(v, et_asprintf("OMP_PLACES=%s", places));
	add_variable(v, et_strdup("OMP_PROC_BIND=close"));
}

static const struct order *order_cpus(
	struct maker *m, const cpu_set_t *cpus, enum et_placement placement)
{
	struct order *o = &m->orders[placement];

	if (!o->known || !CPU_EQUAL(&o->cpus, cpus))
		o->n = et_topology_order(m->root, cpus, placement, o->list);
	o->known = true;
	o->cpus = *cpus;
	return o;
}

static void add_of_factor(struct variables *v, const struct et_design_factor *f, const char *level,
	const int *cpus, size_t n_cpus)
{
	if (f->kind == ET_KIND_ENVIRONMENT)
		add_variable(v, et_asprintf("%s=%s", et_treatment_variable(f), level));
	else if (f->kind == ET_KIND_ENVIRONMENT_SIZE)
		add_variable(v, padded(et_treatment_variable(f), strtoul(level, NULL, 10)));
	else if (f->kind == ET_KIND_ENVIRONMENT_NAME)
		add_variable(v, padded(level, 1));
	else if (f->kind == ET_KIND_THREADS)
		add_variable(v, et_asprintf("OMP_NUM_THREADS=%s", level));
	else if (f->kind == ET_KIND_AFFINITY && n_cpus)
		add_affinity(v, cpus, n_cpus);
}

static void make_environment(const struct maker *m, uint32_t command, const int *cpus,
	size_t n_cpus, struct et_child_treatment *t)
{
	const struct et_design *d = m->e->design;
	struct variables v = { 0 };

	for (size_t i = 0; i < m->n_base; i++)
		add_variable(&v, m->base[i]);
	for (size_t i = 0; i < d->n_factors; i++)
		add_of_factor(&v, &d->factors[i], et_design_level(d, command, i), cpus, n_cpus);
	add_variable(&v, NULL);
	t->envp = m->e->plan.randomise_layout ? et_environ_with_pad(v.list) : v.list;
}

/* The kernel counts strings and pointers. */
static size_t size_of(char *const *list)
{
	size_t bytes = sizeof(*list);

	for (; *list; list++)
		bytes += strlen(*list) + 1 + sizeof(*list);
	return bytes;
}

static int check_size(const struct et_command *c, char *const *envp, struct et_error *err)
{
	long most = sysconf(_SC_ARG_MAX);
	size_t bytes = size_of(c->argv) + size_of(envp);

	/* POSIX leaves 2048 bytes to spare, and a random layout needs room. */
	if (most <= 0 || bytes + 4096 + ET_MOST_PAD <= (size_t)most)
		return 0;
	return et_fail_hint(err, E2BIG, ET_EXIT_ENVIRONMENT,
		"unset variables, use a smaller environment-size, or raise the limit: ulimit -s",
		"%s: its arguments and environment take %zu bytes, and this machine allows "
		"%ld",
		c->name, bytes, most);
}

/* --- all of a command --- */

static int read_levels(const char *root, const struct et_experiment *e, uint32_t command,
	struct et_child_treatment *t, struct et_error *err)
{
	const struct et_design *d = e->design;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < d->n_factors; i++)
		rc = et_treatment_read_level(
			root, &d->factors[i], et_design_level(d, command, i), t, err);
	if (rc == 0 && t->directory && t->directory[0] != '/' && e->child.directory) {
		char *full = et_asprintf("%s/%s", e->child.directory, t->directory);
		free(t->directory);
		t->directory = full;
	}
	return rc;
}

static int make_one(
	struct maker *m, uint32_t command, struct et_child_treatment *t, struct et_error *err)
{
	const struct et_design *d = m->e->design;
	const char *input = d->programs[et_design_program_of(d, command)].input;
	const struct order *o = NULL;
	size_t n = 0;

	t->nice = m->e->child.nice;
	int rc = read_levels(m->root, m->e, command, t, err);
	if (rc == 0 && input) /* levels can be part of its name */
		rc = et_design_fill(d, command, input, NULL, &t->input, err);
	if (rc)
		return rc;
	if (t->placement != ET_PLACE_ANYWHERE) {
		if (!t->sets_cpus && !m->allowed)
			return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
				"cannot place threads: the CPUs of this machine are not known");
		o = order_cpus(m, t->sets_cpus ? &t->cpus : m->allowed, t->placement);
		n = t->threads && t->threads < o->n ? t->threads : o->n;
		CPU_ZERO(&t->cpus);
		for (size_t i = 0; i < n; i++)
			CPU_SET(o->list[i], &t->cpus);
		t->sets_cpus = true;
	}
	make_environment(m, command, o ? o->list : NULL, n, t);
	return check_size(&m->e->commands[command], t->envp, err);
}

int et_treatments_make(const char *root, const struct et_experiment *e, char *const *envp,
	const cpu_set_t *allowed, struct et_treatments *out, struct et_error *err)
{
	struct et_treatments all = { 0 };
	int rc = et_treatments_check(e, NULL, err);

	if (rc || !e->design)
		return rc;
	struct maker *m = et_calloc(1, sizeof(*m));
	*m = (struct maker){ .root = root, .e = e, .allowed = allowed };
	make_base(m, envp);
	all.n = e->n_commands;
	all.list = et_calloc(all.n + 1, sizeof(*all.list));
	for (size_t i = 0; rc == 0 && i < all.n; i++) {
		rc = make_one(m, (uint32_t)i, &all.list[i], err);
		if (all.list[i].load > all.most_load)
			all.most_load = all.list[i].load;
	}
	all.base = m->base;
	free(m);
	if (rc)
		et_treatments_free(&all);
	else
		*out = all;
	return rc;
}

void et_treatments_free(struct et_treatments *t)
{
	size_t n_base = t->base ? et_strv_length(t->base) : 0;

	for (size_t i = 0; i < t->n; i++) {
		char **envp = t->list[i].envp;
		for (char **own = envp ? envp + n_base : NULL; own && *own; own++)
			free(*own);
		free(envp);
		free(t->list[i].directory);
		free(t->list[i].input);
	}
	et_strv_free(t->base);
	free(t->list);
	*t = (struct et_treatments){ 0 };
}

void et_treatment_apply(const struct et_child_treatment *t, struct et_child_setup *setup)
{
	if (t->envp)
		setup->envp = t->envp;
	if (t->sets_cpus)
		setup->cpus = &t->cpus;
	if (t->sets_policy) {
		setup->sets_policy = true;
		setup->policy = t->policy;
		setup->priority = t->priority;
	}
	setup->nice = t->nice;
	if (t->aslr)
		setup->aslr = t->aslr;
	if (t->sets_memory)
		setup->memory = &t->memory;
	if (t->directory)
		setup->directory = t->directory;
}
