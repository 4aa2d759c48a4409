/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the factors of the environment that are not the same on all machines. */
#include "base/alloc.h"
#include "campaign/preflight_parts.h"

#include <string.h>

/* The state of these is a figure that differs everywhere; whether it disturbs is compared. */
static const char *const figures[] = { "daemons", "irq-affinity", "load", "network", "steal",
	"swap", "thermal-throttling", "timers", NULL };

static bool is_figure(const char *factor)
{
	for (const char *const *f = figures; *f; f++)
		if (!strcmp(*f, factor))
			return true;
	return false;
}

/* The values of one factor on all nodes; NULL: it is unknown there. */
struct column {
	const char *factor;
	char **values;
	size_t n;
};

static char *factor_value(const struct et_node_probe *p, const char *factor)
{
	for (size_t i = 0; i < p->n_factors; i++) {
		const struct et_factor *f = &p->factors[i];
		if (strcmp(f->factor, factor))
			continue;
		if (is_figure(factor))
			return et_strdup(f->ok ? "as wanted" : "not as wanted");
		return et_strdup(f->state);
	}
	return NULL;
}

static char *kernel_of(const struct et_node_probe *p)
{
	return et_strdup(p->host.kernel);
}

static char *architecture_of(const struct et_node_probe *p)
{
	return et_strdup(p->host.architecture);
}

static char *cpu_of(const struct et_node_probe *p)
{
	return et_strdup(p->host.cpu);
}

static char *cpus_of(const struct et_node_probe *p)
{
	return et_asprintf("%u", p->host.cpus);
}

/* Firmware takes a little of the memory, and not everywhere the same. */
static char *memory_of(const struct et_node_probe *p)
{
	return et_asprintf("%.0f GiB", (double)p->host.memory_bytes / 1073741824.0);
}

static const struct {
	const char *name;
	char *(*value)(const struct et_node_probe *p);
} properties[] = {
	{ "kernel", kernel_of },
	{ "architecture", architecture_of },
	{ "CPU", cpu_of },
	{ "CPUs", cpus_of },
	{ "memory", memory_of },
};

static size_t count_of(const struct column *c, const char *value)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->values[i] && !strcmp(c->values[i], value);
	return n;
}

static const char *usual_of(const struct column *c)
{
	const char *usual = NULL;
	size_t most = 0;

	for (size_t i = 0; i < c->n; i++) {
		size_t n = c->values[i] ? count_of(c, c->values[i]) : 0;
		if (n > most) {
			most = n;
			usual = c->values[i];
		}
	}
	return usual;
}

static bool seen_before(const struct column *c, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (c->values[i] && !strcmp(c->values[i], c->values[at]))
			return true;
	return false;
}

/* "n3, n4 and 7 more: 0" */
static char *nodes_with(
	const struct et_node_probe *probes, const struct column *c, const char *value)
{
	char *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!c->values[i] || strcmp(c->values[i], value))
			continue;
		if (n++ < 5)
			et_append(&text, ", ", "%s", probes[i].node);
	}
	if (n > 5)
		et_append(&text, " ", "and %zu more", n - 5);
	et_append(&text, ": ", "%s", value[0] ? value : "unknown");
	return text;
}

static void compare_column(
	const struct et_node_probe *probes, const struct column *c, struct et_preflight *out)
{
	const char *usual = usual_of(c);
	char *others = NULL;

	for (size_t i = 0; usual && i < c->n; i++) {
		if (!c->values[i] || !strcmp(c->values[i], usual) || seen_before(c, i))
			continue;
		ET_AUTO_FREE char *group = nodes_with(probes, c, c->values[i]);
		et_append(&others, "; ", "%s", group);
	}
	if (!others)
		return;
	ET_GROW(out->differences, out->n_differences, out->room_differences);
	out->differences[out->n_differences++] =
		(struct et_preflight_difference){ et_strdup(c->factor),
			et_strdup(usual[0] ? usual : "unknown"), others };
}

static void free_values(struct column *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->values[i]);
}

void et_preflight_compare(const struct et_node_probe *probes, size_t n, struct et_preflight *out)
{
	ET_AUTO_FREE char **values = et_calloc(n + 1, sizeof(*values));
	struct column c = { .values = values, .n = n };
	const struct et_node_probe *model = NULL;

	for (size_t i = 0; !model && i < n; i++)
		model = probes[i].rc ? NULL : &probes[i];
	for (size_t k = 0; k < ET_LENGTH(properties); k++) {
		c.factor = properties[k].name;
		for (size_t i = 0; i < n; i++)
			values[i] = probes[i].rc ? NULL : properties[k].value(&probes[i]);
		compare_column(probes, &c, out);
		free_values(&c);
	}
	/* All have the same version, or nearly: the factors of one are those of all. */
	for (size_t k = 0; model && k < model->n_factors; k++) {
		c.factor = model->factors[k].factor;
		for (size_t i = 0; i < n; i++)
			values[i] = probes[i].rc ? NULL : factor_value(&probes[i], c.factor);
		compare_column(probes, &c, out);
		free_values(&c);
	}
}
