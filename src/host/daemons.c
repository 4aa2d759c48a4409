/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/daemons.h"
#include "base/hash.h"
#include "base/sysroot.h"
#include "host/factors.h"
#include "host/services.h"
#include "model/sample/sample.h"

const char *et_untouchable_reason(const char *name, enum et_yields wish)
{
	ET_AUTO_FREE char *own = et_strdup(name);

	if (et_unit_is(name, ".service"))
		own[strlen(name) - strlen(".service")] = '\0';
	for (const struct et_untouchable *u = et_untouchables; u->reason; u++) {
		if (et_name_index(u->names, own) >= 0)
			return wish && u->yields >= wish ? NULL : u->reason;
	}
	return NULL;
}

bool et_daemons_know_unit(const char *unit, bool startable)
{
	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		if (et_name_index(d->units, unit) >= 0 &&
			(!startable || d->group == ET_TIME_DAEMONS))
			return true;
	}
	return false;
}

bool et_daemons_know_process(const char *comm)
{
	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		if (!d->never_hold && et_name_index(d->comms, comm) >= 0)
			return true;
	}
	return false;
}

static bool owns(const struct et_machine *m, const struct et_daemon *d, const struct et_process *p)
{
	if (p->kernel_thread || strchr("ZX", p->state) || et_name_index(d->comms, p->comm) < 0)
		return false;
	return !d->cmdline || et_process_cmdline_has(m->root, p->pid, d->cmdline);
}

const struct et_daemon *et_daemons_owner(
	const struct et_machine *m, enum et_daemon_group group, const struct et_process *p)
{
	const struct et_daemon *d = et_daemons;

	while (d->name && (d->group != group || !owns(m, d, p)))
		d++;
	return d->name ? d : NULL;
}

/* A stopped process uses no CPU time. */
static bool belongs_to(
	const struct et_machine *m, const struct et_daemon *d, const struct et_process *p)
{
	return !strchr("Tt", p->state) && owns(m, d, p);
}

static bool runs(const struct et_machine *m, const struct et_daemon *d)
{
	for (size_t i = 0; i < m->processes.n; i++) {
		if (belongs_to(m, d, &m->processes.list[i]))
			return true;
	}
	return false;
}

/* Whether packages are being installed at the moment. */
static bool packages_busy(const struct et_machine *m)
{
	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		if (!strcmp(d->name, "packages") && runs(m, d))
			return true;
	}
	return false;
}

/* --- units --- */

struct unit {
	const struct et_daemon *daemon;
	const char *name;
	struct et_service is;
	char why[192]; /* the reason not to stop it, or "" */
};

struct units {
	struct unit *list;
	size_t n, cap;
};

static bool linked(const struct et_machine *m, const char *unit)
{
	static const char *const folders[] = { "/etc/systemd/system/timers.target.wants",
		"/usr/lib/systemd/system/timers.target.wants" };
	char path[256], to[256];

	/* A masked timer is not started, even if a target links to it. */
	snprintf(path, sizeof(path), "/etc/systemd/system/%s", unit);
	if (et_sysroot_link(m->root, path, to, sizeof(to)) > 0 && !strcmp(to, "/dev/null"))
		return false;
	for (size_t i = 0; i < ET_LENGTH(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], unit);
		if (et_sysroot_link(m->root, path, to, sizeof(to)) > 0 ||
			et_sysroot_exists(m->root, path))
			return true;
	}
	return false;
}

static const struct unit *find_unit(const struct units *u, const char *id)
{
	for (size_t i = 0; i < u->n; i++) {
		if (!strcmp(u->list[i].is.id, id))
			return &u->list[i];
	}
	return NULL;
}

/* Keeps a unit that is listed under several names once, preferably under its primary name. */
static void drop_aliases(struct units *u)
{
	size_t n = 0;

	for (size_t i = 0; i < u->n; i++) {
		bool own = !strcmp(u->list[i].name, u->list[i].is.id), dropped = false;
		for (size_t k = 0; k < u->n && !own && !dropped; k++)
			dropped = k != i && !strcmp(u->list[k].is.id, u->list[i].is.id) &&
				  (k < n || !strcmp(u->list[k].name, u->list[i].is.id));
		if (!dropped)
			u->list[n++] = u->list[i];
	}
	u->n = n;
}

/* Reads the states of units whose names are known. */
static void read_states(const struct et_machine *m, struct units *out)
{
	ET_AUTO_FREE struct et_service *services = et_calloc(out->n, sizeof(*services));
	ET_AUTO_FREE const char **names = et_calloc(out->n, sizeof(*names));

	for (size_t i = 0; i < out->n; i++)
		names[i] = out->list[i].name;
	et_services_read(m->systemctl, names, out->n, services);
	for (size_t i = 0; i < out->n; i++) {
		struct et_service *s = &out->list[i].is;
		*s = services[i];
		if (!s->id[0])
			snprintf(s->id, sizeof(s->id), "%s", names[i]);
	}
}

/* Reads the units of a group. If systemd does not answer, an enabled timer counts as active. */
static void read_units(const struct et_machine *m, enum et_daemon_group group, struct units *out)
{
	memset(out, 0, sizeof(*out));
	if (!m->systemd)
		return;
	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		for (size_t i = 0; d->group == group && d->units[i]; i++) {
			ET_GROW(out->list, out->n, out->cap);
			out->list[out->n++] = (struct unit){ .daemon = d, .name = d->units[i] };
		}
	}
	read_states(m, out);
	for (size_t i = 0; i < out->n && group == ET_TIMERS; i++) {
		struct unit *u = &out->list[i];
		if (u->is.state == ET_UNIT_UNKNOWN && linked(m, u->name))
			u->is.state = ET_UNIT_ACTIVE;
	}
	drop_aliases(out);
}

static bool any_active(const struct units *u, const struct et_daemon *d)
{
	for (size_t i = 0; i < u->n; i++) {
		if (u->list[i].is.state == ET_UNIT_ACTIVE && u->list[i].daemon == d)
			return true;
	}
	return false;
}

/* --- findings --- */

static char *names_of(
	const struct et_machine *m, enum et_daemon_group group, const struct units *units)
{
	char *names = NULL;

	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		if (d->group == group && (runs(m, d) || any_active(units, d)))
			et_append(&names, ", ", "%s", d->name);
	}
	return names;
}

char *et_daemons_running(const struct et_machine *m, enum et_daemon_group group)
{
	return names_of(m, group, &(struct units){ 0 });
}

void et_daemons_read(const struct et_machine *m, enum et_daemon_group group, struct et_finding *out)
{
	struct units units = { 0 };

	if (group == ET_TIMERS && !m->systemd) {
		et_finding_set(out, ET_VERDICT_UNKNOWN, "no systemd");
		return;
	}
	/* Services are recognized by their processes; timers have none. */
	if (group == ET_TIMERS)
		read_units(m, group, &units);
	ET_AUTO_FREE char *names = names_of(m, group, &units);
	free(units.list);
	if (names)
		et_finding_set(out, ET_VERDICT_DISTURBS, "%s", names);
	else if (m->processes.n)
		et_finding_set(out, ET_VERDICT_FINE, "none");
}

/* --- plans --- */

struct planning {
	const struct et_machine *m;
	const char *factor;
	struct units units;
	bool packages_busy;
	enum et_yields wish;
	struct et_changes *out;
	struct et_results *left;
	struct et_running *fates; /* of each process of the machine, or NULL */
};

/* Notes that the plan leaves a process alone for a reason, or (NULL) stops it. */
static void note_fate(struct et_running *fate, const char *factor, const char *why)
{
	snprintf(fate->why, sizeof(fate->why), "%s", why ? why : "");
	fate->group = why ? NULL : factor;
}

static void leave(struct planning *p, enum et_change_kind kind, const char *target, int32_t pid,
	const char *why)
{
	struct et_change c = { .kind = kind,
		.factor = (char *)p->factor,
		.target = (char *)target,
		.pid = pid,
		.before = (char *)"running",
		.after = (char *)"running" };

	et_results_add(p->left, &c, ET_OUTCOME_LEFT, why);
}

static const char *unit_reason(const struct planning *p, const struct unit *u)
{
	const char *why = et_untouchable_reason(u->is.id, p->wish);

	if (!why && !strcmp(u->is.id, p->m->unit))
		why = "etalon itself runs in it";
	if (!why && u->daemon && u->daemon->installs_packages && p->packages_busy)
		why = "packages are being installed";
	return why ? why : u->is.irreversible;
}

/* Whether a unit is inactive already, or is itself among those that are stopped and restarted. */
static bool stops_too(const struct planning *p, const char *id)
{
	const struct unit *u = find_unit(&p->units, id);
	struct et_service s;

	if (u && u->is.state == ET_UNIT_ACTIVE)
		return !u->why[0];
	et_services_read(p->m->systemctl, &id, 1, &s);
	return s.state == ET_UNIT_INACTIVE || s.state == ET_UNIT_ABSENT;
}

/* Whether a unit that stops with u, or triggers it, is left alone; then u->why is set. */
static bool blocked_by_unit(const struct planning *p, struct unit *u, bool triggers)
{
	char names[sizeof(u->is.stops_with)], *rest;

	snprintf(names, sizeof(names), "%s", triggers ? u->is.triggered_by : u->is.stops_with);
	for (char *id = strtok_r(names, " ", &rest); id; id = strtok_r(NULL, " ", &rest)) {
		/* Timers that start it belong to the factor "timers". */
		if ((triggers && et_unit_is(id, ".timer")) || stops_too(p, id))
			continue;
		snprintf(u->why, sizeof(u->why), "%s would %s", id,
			triggers ? "start it again" : "stop with it");
		return true;
	}
	return false;
}

static void plan_units(struct planning *p)
{
	bool again = true;

	for (size_t i = 0; i < p->units.n; i++) {
		struct unit *u = &p->units.list[i];
		const char *why = unit_reason(p, u);
		snprintf(u->why, sizeof(u->why), "%s", why ? why : "");
	}
	/* A unit that is left alone may block further ones, so repeat until nothing changes. */
	while (again) {
		again = false;
		for (size_t i = 0; i < p->units.n; i++) {
			struct unit *u = &p->units.list[i];
			if (u->is.state != ET_UNIT_ACTIVE || u->why[0])
				continue;
			if (blocked_by_unit(p, u, false) || blocked_by_unit(p, u, true))
				again = true;
		}
	}
	for (size_t i = 0; i < p->units.n; i++) {
		const struct unit *u = &p->units.list[i];
		if (u->is.state != ET_UNIT_ACTIVE)
			continue;
		if (u->why[0])
			leave(p, ET_CHANGE_UNIT, u->name, 0, u->why);
		else
			et_changes_add(
				p->out, ET_CHANGE_UNIT, p->factor, u->name, "active", "inactive");
	}
}

static const char *process_reason(
	const struct planning *p, const struct et_daemon *d, const struct et_process *q)
{
	const char *why = et_untouchable_reason(q->comm, ET_YIELDS_NEVER);

	if (!why && q->ours)
		why = "it has started etalon";
	if (!why && et_process_in_container(p->m->root, q->pid))
		why = "it belongs to a container";
	return why ? why : d->never_hold;
}

/* Why a process is left alone, or NULL; with_unit: it stops, or is left alone, with its unit. */
static const char *fate(const struct planning *p, const struct et_daemon *d,
	const struct et_process *q, bool *with_unit)
{
	char pid[16], unit[128];

	snprintf(pid, sizeof(pid), "%d", q->pid);
	et_process_unit(p->m->root, pid, unit, sizeof(unit));
	const struct unit *of = find_unit(&p->units, unit);
	enum et_unit_state state = of ? of->is.state : ET_UNIT_ABSENT;
	*with_unit = state == ET_UNIT_ACTIVE;
	if (*with_unit)
		return of->why[0] ? of->why : NULL;
	if (state == ET_UNIT_UNKNOWN)
		return "systemd controls it but does not answer";
	if (state == ET_UNIT_CHANGING)
		return "systemd is starting or stopping it";
	return process_reason(p, d, q);
}

/* Plans the units and processes of a group. */
static void plan(struct planning *p, enum et_daemon_group group)
{
	bool with_unit;

	p->packages_busy = packages_busy(p->m);
	read_units(p->m, group, &p->units);
	plan_units(p);
	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		for (size_t i = 0; d->group == group && i < p->m->processes.n; i++) {
			const struct et_process *q = &p->m->processes.list[i];
			if (!belongs_to(p->m, d, q))
				continue;
			const char *why = fate(p, d, q, &with_unit);
			if (p->fates)
				note_fate(&p->fates[i], p->factor, why);
			if (with_unit)
				continue;
			if (why) {
				leave(p, ET_CHANGE_PROCESS, q->comm, q->pid, why);
				continue;
			}
			et_changes_add(
				p->out, ET_CHANGE_PROCESS, p->factor, q->comm, "running", "held");
			p->out->list[p->out->n - 1].pid = q->pid;
			p->out->list[p->out->n - 1].start = q->start;
		}
	}
	free(p->units.list);
}

void et_daemons_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	struct planning p = { .m = m, .factor = row->name, .out = out, .left = left };

	plan(&p, row->group);
}

void et_daemons_plan_units(const struct et_machine *m, char *const *names, enum et_yields wish,
	const char *factor, struct et_changes *out, struct et_results *left)
{
	struct planning p = { .m = m, .factor = factor, .wish = wish, .out = out, .left = left };

	for (; *names; names++) {
		ET_GROW(p.units.list, p.units.n, p.units.cap);
		p.units.list[p.units.n++] = (struct unit){ .name = *names };
	}
	read_states(m, &p.units);
	drop_aliases(&p.units);
	plan_units(&p);
	free(p.units.list);
}

/* --- starting --- */

/* The first unit that could be started, or else the first that exists; NULL: there is none. */
static const struct unit *choose_unit(const struct units *u)
{
	for (size_t i = 0; i < u->n; i++) {
		if (u->list[i].is.state == ET_UNIT_INACTIVE && !u->list[i].is.irreversible)
			return &u->list[i];
	}
	for (size_t i = 0; i < u->n; i++) {
		if (u->list[i].is.state != ET_UNIT_ABSENT && u->list[i].is.state != ET_UNIT_UNKNOWN)
			return &u->list[i];
	}
	return NULL;
}

const char *et_daemons_installed(const struct et_machine *m, enum et_daemon_group group)
{
	struct units units;

	read_units(m, group, &units);
	const struct unit *u = choose_unit(&units);
	const char *name = u ? u->daemon->name : NULL;
	free(units.list);
	return name;
}

void et_daemons_plan_start(const struct et_machine *m, enum et_daemon_group group,
	const char *factor, const char *missing, struct et_changes *out, struct et_results *left)
{
	struct planning p = { .m = m, .factor = factor, .out = out, .left = left };

	read_units(m, group, &p.units);
	const struct unit *u = choose_unit(&p.units);
	bool silent = !m->systemctl || (p.units.n && p.units.list[0].is.state == ET_UNIT_UNKNOWN);
	const char *why = !m->systemd ? "etalon can start a service through systemd only"
			  : silent    ? "systemd does not answer"
			  : !u        ? missing
			  : u->is.state == ET_UNIT_CHANGING ? "systemd is starting or stopping it"
			  : u->is.state == ET_UNIT_ACTIVE
				  ? "systemd calls it active, but it does not run"
			  : u->is.irreversible ? "systemd does not allow to start or stop it"
					       : NULL;
	if (why)
		leave(&p, ET_CHANGE_UNIT, u && !silent ? u->name : factor, 0, why);
	else
		et_changes_add(out, ET_CHANGE_UNIT, factor, u->name, "inactive", "active");
	free(p.units.list);
}

/* --- the processes that run, and the services that could --- */

/* Decided by the plan of `env apply`; without the factor time-daemon, time daemons are kept. */
static void read_fates(const struct et_machine *m, struct et_running *fates)
{
	static const struct {
		enum et_daemon_group group;
		const char *factor;
	} stopped[] = { { ET_DAEMONS, "daemons" }, { ET_IRQBALANCE, "irqbalance" } };

	for (size_t i = 0; i < ET_LENGTH(stopped); i++) {
		struct et_changes out = { 0 };
		struct et_results left = { 0 };
		plan(&(struct planning){ .m = m,
			     .factor = stopped[i].factor,
			     .out = &out,
			     .left = &left,
			     .fates = fates },
			stopped[i].group);
		et_changes_free(&out);
		et_results_free(&left);
	}
	for (size_t i = 0; i < m->processes.n; i++) {
		const struct et_process *p = &m->processes.list[i];
		const char *why = et_untouchable_reason(p->comm, ET_YIELDS_NEVER);
		if (!why && et_daemons_owner(m, ET_TIME_DAEMONS, p))
			why = "it keeps the clock synchronised";
		if (why && !p->kernel_thread)
			note_fate(&fates[i], NULL, why);
	}
}

static struct et_running *find_running(struct et_running_list *r, const struct et_running *like)
{
	for (size_t i = 0; i < r->n; i++) {
		struct et_running *x = &r->list[i];
		if (x->kernel == like->kernel && x->group == like->group &&
			!strcmp(x->name, like->name) && !strcmp(x->why, like->why))
			return x;
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct et_running *x = a, *y = b;

	return x->kernel - y->kernel ?: strcmp(x->name, y->name) ?: strcmp(x->why, y->why);
}

void et_running_read(const struct et_machine *m, struct et_running_list *out)
{
	ET_AUTO_FREE struct et_running *fates = et_calloc(m->processes.n, sizeof(*fates));

	*out = (struct et_running_list){ 0 };
	read_fates(m, fates);
	for (size_t i = 0; i < m->processes.n; i++) {
		const struct et_process *p = &m->processes.list[i];
		struct et_running one = fates[i];
		one.n = 1;
		one.kernel = p->kernel_thread;
		if (p->ours || strchr("TtZX", p->state))
			continue;
		/* "kworker/0:1-events" and "migration/3" are many threads of one kind. */
		size_t len = one.kernel ? strcspn(p->comm, "/:") : strlen(p->comm);
		snprintf(one.name, sizeof(one.name), "%.*s", (int)len, p->comm);
		struct et_running *known = find_running(out, &one);
		if (known) {
			known->n++;
			continue;
		}
		ET_GROW(out->list, out->n, out->cap);
		out->list[out->n++] = one;
	}
	if (out->n)
		qsort(out->list, out->n, sizeof(*out->list), by_name);
}

/* The sum of the names' hashes does not depend on their order. */
struct set {
	uint64_t sum;
	const char *last; /* a name of the table occurs several times, one after the other */
};

static void add(struct set *s, const char *name)
{
	if (s->last && !strcmp(s->last, name))
		return;
	s->sum += et_hash_text(name);
	s->last = name;
}

void et_services_digest(const struct et_machine *m, char out[17])
{
	ET_AUTO_FREE char *names = et_services_list(m->systemctl, ET_UNITS_ENABLED, NULL);
	struct set set = { 0 };
	char *rest = names, *name;

	out[0] = '\0';
	if (!names && m->systemctl)
		return;
	while (rest && (name = strsep(&rest, "\n"))) {
		if (*name)
			add(&set, name);
	}
	/* A daemon that no service starts (a package manager) comes and goes with its work. */
	for (const struct et_daemon *d = et_daemons; !names && d->name; d++) {
		for (size_t i = 0; d->units[0] && i < m->processes.n; i++) {
			if (owns(m, d, &m->processes.list[i]))
				add(&set, d->name);
		}
	}
	snprintf(out, 17, "%016" PRIx64, set.sum);
}
