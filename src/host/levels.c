/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/levels.h"
#include "base/parse.h"
#include "host/daemons.h"
#include "host/services.h"
#include "model/sample/sample.h"

#include <ctype.h>

#define CPU "/sys/devices/system/cpu/"
#define POLICIES CPU "cpufreq"
#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/enabled"

/* --- the changes that a level needs; a target that has its value already is among them --- */

static int missing(struct et_error *err, const char *what, const char *hint)
{
	return et_hint(err, et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "%s", what), "%s", hint);
}

/* Appends the change of a file; returns false if it does not exist. */
static bool add_file(const struct et_machine *m, const char *factor, const char *path,
	const char *value, struct et_changes *out)
{
	char now[128];

	if (et_setting_read(m->root, path, now, sizeof(now)) <= 0)
		return false;
	et_changes_add(out, ET_CHANGE_FILE, factor, path, now, value);
	return true;
}

static int plan_huge_pages(
	const struct et_machine *m, const char *level, struct et_changes *out, struct et_error *err)
{
	if (add_file(m, "huge-pages", HUGE_PAGES, level, out))
		return 0;
	return missing(err, "this kernel has no transparent huge pages (" HUGE_PAGES ")",
		"boot a kernel with CONFIG_TRANSPARENT_HUGEPAGE");
}

static int plan_governor(
	const struct et_machine *m, const char *level, struct et_changes *out, struct et_error *err)
{
	char **policies = et_numbered_names(m, POLICIES, "policy"), path[256];
	bool fast = !strcmp(level, "performance");
	int rc = 0;

	if (!*policies)
		rc = missing(err, "this machine has no cpufreq: nobody can choose a governor here",
			"measure on a machine with " POLICIES "/policy*, not in a guest");
	for (char **p = policies; *p && rc == 0; p++) {
		if (!et_policy_has_governor(m, *p, level)) {
			rc = et_hint(err,
				et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
					"there is no governor '%s' on this machine", level),
				"see " POLICIES "/%s/scaling_available_governors", *p);
			break;
		}
		snprintf(path, sizeof(path), POLICIES "/%s/scaling_governor", *p);
		add_file(m, "governor", path, level, out);
		/* The governor also changes it, and not every driver restores it. */
		snprintf(path, sizeof(path), POLICIES "/%s/energy_performance_preference", *p);
		if (add_file(m, "governor", path, "performance", out) && !fast) {
			struct et_change *c = &out->list[out->n - 1];
			free(c->after);
			c->after = et_strdup(c->before);
		}
	}
	et_strv_free(policies);
	return rc;
}

static int plan_turbo(
	const struct et_machine *m, const char *level, struct et_changes *out, struct et_error *err)
{
	bool on = !strcmp(level, "on");

	if (add_file(m, "turbo", CPU "intel_pstate/no_turbo", on ? "0" : "1", out) ||
		add_file(m, "turbo", POLICIES "/boost", on ? "1" : "0", out))
		return 0;
	return missing(err, "this machine has no switch for turbo frequencies",
		"measure on a machine with " CPU "intel_pstate/no_turbo or " POLICIES "/boost");
}

static int plan_smt(
	const struct et_machine *m, const char *level, struct et_changes *out, struct et_error *err)
{
	static const char path[] = CPU "smt/control";
	char now[32];

	if (et_setting_read(m->root, path, now, sizeof(now)) <= 0)
		return missing(err, "this kernel has no switch for SMT (" CPU "smt/control)",
			"measure on a machine with SMT");
	if (strcmp(now, "on") && strcmp(now, "off"))
		return et_fail_hint(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"switch it in the firmware, or measure on another machine",
			"SMT cannot be switched here: %s is '%s'", path, now);
	add_file(m, "smt", path, level, out);
	return 0;
}

/*
 * --- services ---
 *
 * A target as a level stops the units that it does not want, one by one, each in the journal.
 * `systemctl isolate` would do the same at once, but nobody could tell afterwards which to start.
 */

/* The characters of systemd.unit(5); others have no place in the journal. */
static bool is_unit_name(const char *name)
{
	size_t n = strlen(name);

	for (const char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr(":-_.\\@", *p))
			return false;
	}
	return n > 0 && n < 120 && isalnum((unsigned char)*name);
}

/* Units of systemd itself and of people who are logged in; some of them end the session. */
static bool is_system(const char *unit)
{
	static const char *const begins[] = { "systemd-", "initrd-", "rescue.", "emergency.",
		"user@", "user-runtime-dir@", "getty@", "serial-getty@", "console-getty.",
		"autovt@", "modprobe@", "plymouth-" };

	for (size_t i = 0; i < ET_LENGTH(begins); i++) {
		if (!strncmp(unit, begins[i], strlen(begins[i])))
			return true;
	}
	return false;
}

bool et_services_may_stop(const char *unit)
{
	bool kind = et_unit_is(unit, ".service") || et_unit_is(unit, ".socket") ||
		    et_unit_is(unit, ".path") || et_unit_is(unit, ".timer");

	return kind && is_unit_name(unit) && !is_system(unit) &&
	       !et_untouchable_reason(unit, ET_YIELDS_TO_NAME);
}

/* Splits a list; a name without a suffix is a service, as for systemctl. */
static char **split_units(const char *list)
{
	char **names = et_calloc(strlen(list) + 2, sizeof(*names));

	for (size_t n = 0;; n++) {
		size_t len = strcspn(list, ",");
		names[n] = et_asprintf(
			"%.*s%s", (int)len, list, memchr(list, '.', len) ? "" : ".service");
		if (!list[len])
			return names;
		list += len + 1;
	}
}

static int check_names(const struct et_machine *m, char *const *names, struct et_error *err)
{
	for (; *names; names++) {
		const char *name = *names;
		struct et_service s;
		if (!is_unit_name(name))
			return et_fail(
				err, EINVAL, ET_EXIT_USAGE, "'%s' is not the name of a unit", name);
		const char *why = et_untouchable_reason(name, ET_YIELDS_TO_NAME);
		if (why || !et_services_may_stop(name))
			return et_fail(err, EPERM, ET_EXIT_ENVIRONMENT,
				"etalon does not stop %s: %s", name,
				why ? why : "the system needs it");
		et_services_read(m->systemctl, &name, 1, &s);
		if (s.state == ET_UNIT_ABSENT)
			return et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
				"there is no unit %s on this machine", name);
	}
	return 0;
}

/* The names in active that are not in wanted, and that etalon may stop; triggers come first. */
static char **difference(const char *active, const char *wanted)
{
	char **names = et_calloc(1, sizeof(*names));
	size_t n = 0;

	for (int services = 0; services < 2; services++) {
		for (const char *p = active; *p;) {
			size_t len = strcspn(p, "\n");
			char *name = et_strndup(p, len);
			if (et_unit_is(name, ".service") == services &&
				et_services_may_stop(name) && !et_list_has(wanted, "\n", p, len)) {
				names = et_realloc(names, n + 2, sizeof(*names));
				names[n++] = name;
				names[n] = NULL;
			} else {
				free(name);
			}
			p += len + (p[len] == '\n');
		}
	}
	return names;
}

static int check_target(const struct et_machine *m, const char *target, struct et_error *err)
{
	/* The targets of runlevel 1 and below: their own shell is not wanted, only the silence. */
	static const char *const rescue[] = { "rescue.target", "emergency.target",
		"runlevel1.target", "basic.target", "sysinit.target", NULL };
	struct et_service s;

	et_services_read(m->systemctl, &target, 1, &s);
	if (s.state == ET_UNIT_ABSENT)
		return et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"there is no target %s on this machine", target);
	if (s.state == ET_UNIT_ACTIVE || et_name_index(rescue, target) >= 0)
		return 0;
	return et_hint(err,
		et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"%s is not active, and etalon only stops services", target),
		"run 'systemctl isolate %s' first", target);
}

static int plan_target(const struct et_machine *m, const char *target, struct et_changes *out,
	struct et_results *left, struct et_error *err)
{
	int rc = check_target(m, target, err);

	if (rc)
		return rc;
	ET_AUTO_FREE char *active = et_services_list(m->systemctl, ET_UNITS_ACTIVE, NULL);
	ET_AUTO_FREE char *wanted = et_services_list(m->systemctl, ET_UNITS_WANTED, target);
	/* Without the list of wanted units everything would be stopped. */
	if (!active || !wanted || !et_list_has(wanted, "\n", target, strlen(target)))
		return et_fail(err, EIO, ET_EXIT_ENVIRONMENT,
			"systemctl does not list the units that %s wants", target);
	char **names = difference(active, wanted);
	et_daemons_plan_units(m, names, ET_YIELDS_TO_TARGET, ET_SERVICES_FACTOR, out, left);
	et_strv_free(names);
	return 0;
}

static int plan_names(const struct et_machine *m, const char *list, struct et_changes *out,
	struct et_results *left, struct et_error *err)
{
	char **names = split_units(list);
	int rc = check_names(m, names, err);

	if (rc == 0)
		et_daemons_plan_units(m, names, ET_YIELDS_TO_NAME, ET_SERVICES_FACTOR, out, left);
	if (rc == 0 && left->n)
		rc = et_fail(err, EPERM, ET_EXIT_ENVIRONMENT, "etalon does not stop %s: %s",
			left->list[0].change.target, left->list[0].note);
	et_strv_free(names);
	return rc;
}

static int plan_services(
	const struct et_machine *m, const char *level, struct et_changes *out, struct et_error *err)
{
	struct et_results left = { 0 };
	bool stop = !strncmp(level, "stop:", 5), target = et_unit_is(level, ".target");

	if (!strcmp(level, "as-is"))
		return 0;
	if (!stop && !(target && is_unit_name(level)))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"'%s' is not as-is, NAME.target, or stop:UNIT,UNIT", level);
	if (!m->systemctl)
		return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"systemd does not run here, and services are stopped through it only");
	int rc = stop ? plan_names(m, level + 5, out, &left, err)
		      : plan_target(m, level, out, &left, err);
	et_results_free(&left);
	return rc;
}

/* --- all kinds --- */

static int (*const planners[ET_KINDS_OF_FACTORS])(const struct et_machine *m, const char *level,
	struct et_changes *out, struct et_error *err) = {
	[ET_KIND_HUGE_PAGES] = plan_huge_pages,
	[ET_KIND_GOVERNOR] = plan_governor,
	[ET_KIND_TURBO] = plan_turbo,
	[ET_KIND_SMT] = plan_smt,
	[ET_KIND_SERVICES] = plan_services,
};

static int plan_level(const struct et_machine *m, const struct et_design_factor *f, size_t level,
	struct et_changes *out, struct et_error *err)
{
	return planners[f->kind] ? planners[f->kind](m, f->levels[level], out, err) : 0;
}

/* --- checking --- */

int et_levels_check(const struct et_machine *m, const struct et_design_factor *f, size_t level,
	struct et_error *err)
{
	const char *kind = et_factor_kinds[f->kind].name;
	struct et_changes changes = { 0 };
	int rc = plan_level(m, f, level, &changes, err);

	for (size_t i = 0; rc == 0 && i < changes.n; i++) {
		const struct et_change *c = &changes.list[i];
		if (c->kind == ET_CHANGE_FILE ? et_environment_writable(m, c) == 0
					      : *m->root || geteuid() == 0)
			continue;
		rc = et_hint(err,
			et_fail(err, EPERM, ET_EXIT_ENVIRONMENT, "%s cannot be set: %s", kind,
				geteuid() ? "only root may" : "it is read-only here"),
			geteuid() ? "run with sudo, and 'user' among the options of run if the "
				    "programs are to run as you"
				  : "run outside of this container");
	}
	et_changes_free(&changes);
	return rc;
}

bool et_levels_needed(const struct et_design *d)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		if (et_factor_kinds[d->factors[i].kind].scope == ET_SCOPE_MACHINE)
			return true;
	}
	return false;
}

/* --- setting --- */

struct target {
	struct et_change change; /* its value before the experiment, and whichever was set last */
	size_t factor;
	char *now;
};

struct et_levels {
	const struct et_machine *m;
	struct et_journal *j;
	const struct et_design *d;
	struct et_changes **plans; /* per factor, per level */
	struct target *targets;
	size_t n, cap;
};

static int add_target(
	struct et_levels *l, size_t factor, const struct et_change *c, struct et_error *err)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct target *t = &l->targets[i];
		if (strcmp(t->change.target, c->target))
			continue;
		if (t->factor == factor)
			return 0;
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "factors '%s' and '%s' both set %s",
			l->d->factors[t->factor].name, l->d->factors[factor].name, c->target);
	}
	ET_GROW(l->targets, l->n, l->cap);
	l->targets[l->n++] = (struct target){
		.change = et_change_copy(c), .factor = factor, .now = et_strdup(c->before)
	};
	return 0;
}

static int plan_factor(struct et_levels *l, size_t factor, struct et_error *err)
{
	const struct et_design_factor *f = &l->d->factors[factor];
	int rc = 0;

	l->plans[factor] = et_calloc(f->n_levels, sizeof(**l->plans));
	for (size_t k = 0; rc == 0 && k < f->n_levels; k++) {
		struct et_changes *plan = &l->plans[factor][k];
		rc = plan_level(l->m, f, k, plan, err);
		for (size_t i = 0; rc == 0 && i < plan->n; i++)
			rc = add_target(l, factor, &plan->list[i], err);
	}
	return rc;
}

int et_levels_open(const struct et_machine *m, struct et_journal *j, const struct et_design *d,
	struct et_levels **out, struct et_error *err)
{
	struct et_levels *l = et_calloc(1, sizeof(*l));
	int rc = 0;

	*l = (struct et_levels){ .m = m, .j = j, .d = d };
	l->plans = et_calloc(d->n_factors, sizeof(struct et_changes *));
	for (size_t i = 0; rc == 0 && i < d->n_factors; i++) {
		if (et_factor_kinds[d->factors[i].kind].scope == ET_SCOPE_MACHINE)
			rc = plan_factor(l, i, err);
	}
	if (rc)
		et_levels_close(l);
	else
		*out = l;
	return rc;
}

static const char *wanted(const struct et_levels *l, const struct target *t, uint32_t command)
{
	const struct et_treatment *treatment =
		&l->d->treatments[et_design_treatment_of(l->d, command)];
	const struct et_changes *plan = &l->plans[t->factor][treatment->levels[t->factor]];

	for (size_t i = 0; i < plan->n; i++) {
		if (!strcmp(plan->list[i].target, t->change.target))
			return plan->list[i].after;
	}
	return t->change.before;
}

bool et_levels_differ(const struct et_levels *l, uint32_t command)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->targets[i].now, wanted(l, &l->targets[i], command)))
			return true;
	}
	return false;
}

static int set_target(
	struct et_levels *l, struct target *t, const char *value, struct et_error *err)
{
	struct et_error why = { 0 };
	int rc = et_environment_set(l->m, l->j, &t->change, value, &why);

	if (rc)
		return et_hint(err,
			et_fail(err, -rc, why.exit ? why.exit : ET_EXIT_ENVIRONMENT,
				"factor '%s': cannot set %s to %s: %s",
				l->d->factors[t->factor].name, t->change.target, value, why.what),
			"%s", why.hint);
	free(t->now);
	t->now = et_strdup(value);
	return 0;
}

int et_levels_set(struct et_levels *l, uint32_t command, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->n; i++) {
		struct target *t = &l->targets[i];
		const char *value = wanted(l, t, command);
		if (strcmp(t->now, value))
			rc = set_target(l, t, value, err);
	}
	return rc;
}

void et_levels_close(struct et_levels *l)
{
	if (!l)
		return;
	/*
	 * A target that `env apply` had changed before belongs to its session, so the end of ours
	 * would not restore it. If this fails, `env restore` restores it.
	 */
	for (size_t i = 0; i < l->n; i++) {
		struct target *t = &l->targets[i];
		const struct et_journal_entry *e = et_journal_find(l->j, &t->change);
		if (e && e->session != l->j->n_sessions && strcmp(t->now, t->change.before))
			(void)!set_target(l, t, t->change.before, &(struct et_error){ 0 });
	}
	for (size_t f = 0; f < l->d->n_factors; f++) {
		for (size_t k = 0; l->plans[f] && k < l->d->factors[f].n_levels; k++)
			et_changes_free(&l->plans[f][k]);
		free(l->plans[f]);
	}
	for (size_t i = 0; i < l->n; i++) {
		et_change_free(&l->targets[i].change);
		free(l->targets[i].now);
	}
	free(l->plans);
	free(l->targets);
	free(l);
}
