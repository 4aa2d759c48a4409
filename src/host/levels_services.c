/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A target as a level stops the units that it does not want, one by one, each in the journal.
 * `systemctl isolate` would do the same at once, but nobody could tell afterwards which to start.
 */
#include "host/levels_services.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "host/daemons.h"
#include "host/services.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n > k && !strcmp(text + n - k, end);
}

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
	bool kind = ends_with(unit, ".service") || ends_with(unit, ".socket") ||
		    ends_with(unit, ".path") || ends_with(unit, ".timer");

	return kind && is_unit_name(unit) && !is_system(unit) &&
	       !et_untouchable_despite(unit, ET_YIELDS_TO_NAME);
}

/* --- stop:UNIT,UNIT --- */

/* Splits a list; a name without a suffix is a service, as for systemctl. */
static char **split_units(const char *list)
{
	char **names = NULL;
	size_t n = 0;

	for (const char *p = list;; p++) {
		size_t len = strcspn(p, ",");
		names = et_realloc(names, n + 2, sizeof(*names));
		names[n] = et_strndup(p, len);
		if (!strchr(names[n], '.')) {
			char *full = et_asprintf("%s.service", names[n]);
			free(names[n]);
			names[n] = full;
		}
		names[++n] = NULL;
		p += len;
		if (!*p)
			return names;
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
		const char *why = et_untouchable_despite(name, ET_YIELDS_TO_NAME);
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

/* --- targets --- */

static bool has_line(const char *lines, const char *line, size_t len)
{
	for (const char *p = lines; *p;
		p += p[strcspn(p, "\n")] ? strcspn(p, "\n") + 1 : strlen(p)) {
		if (strcspn(p, "\n") == len && !strncmp(p, line, len))
			return true;
	}
	return false;
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
			if (ends_with(name, ".service") == services && et_services_may_stop(name) &&
				!has_line(wanted, p, len)) {
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

/* The targets of runlevel 1 and below: their own shell is not wanted, only the silence. */
static bool is_rescue(const char *target)
{
	static const char *const names[] = { "rescue.target", "emergency.target",
		"runlevel1.target", "basic.target", "sysinit.target" };

	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		if (!strcmp(names[i], target))
			return true;
	}
	return false;
}

static int check_target(const struct et_machine *m, const char *target, struct et_error *err)
{
	struct et_service s;

	et_services_read(m->systemctl, &target, 1, &s);
	if (s.state == ET_UNIT_ABSENT)
		return et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"there is no target %s on this machine", target);
	if (s.state == ET_UNIT_ACTIVE || is_rescue(target))
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
	ET_AUTO_FREE char *active = et_services_active(m->systemctl);
	ET_AUTO_FREE char *wanted = et_services_wanted(m->systemctl, target);
	/* Without the list of wanted units everything would be stopped. */
	if (!active || !wanted || !has_line(wanted, target, strlen(target)))
		return et_fail(err, EIO, ET_EXIT_ENVIRONMENT,
			"systemctl does not list the units that %s wants", target);
	char **names = difference(active, wanted);
	et_daemons_plan_units(m, names, ET_YIELDS_TO_TARGET, ET_SERVICES_FACTOR, out, left);
	et_strv_free(names);
	return 0;
}

/* --- levels --- */

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

int et_services_plan(
	const struct et_machine *m, const char *level, struct et_changes *out, struct et_error *err)
{
	struct et_results left = { 0 };
	bool stop = !strncmp(level, "stop:", 5), target = ends_with(level, ".target");
	int rc;

	if (!strcmp(level, "as-is"))
		return 0;
	if (!stop && !(target && is_unit_name(level)))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"'%s' is not as-is, NAME.target, or stop:UNIT,UNIT", level);
	if (!m->systemctl)
		return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"systemd does not run here, and services are stopped through it only");
	rc = stop ? plan_names(m, level + 5, out, &left, err)
		  : plan_target(m, level, out, &left, err);
	et_results_free(&left);
	return rc;
}
