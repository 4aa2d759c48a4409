/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/environ.h"
#include "base/parse.h"
#include "model/sample/executor.h"

#include <grp.h>
#include <pwd.h>

int et_identity_find(const char *user, struct et_identity *out, struct et_error *err)
{
	errno = 0;
	struct passwd *pw = getpwnam(user);

	if (!pw)
		return et_fail(err, ENOENT, ET_EXIT_USAGE, "--user: there is no user '%s'", user);
	out->uid = pw->pw_uid;
	out->gid = pw->pw_gid;
	out->home = et_strdup(pw->pw_dir);
	out->name = et_strdup(pw->pw_name);
	out->shell = et_strdup(pw->pw_shell);
	out->n_groups = 0;
	getgrouplist(user, pw->pw_gid, NULL, &out->n_groups);
	out->groups = et_calloc((size_t)out->n_groups, sizeof(*out->groups));
	if (getgrouplist(user, out->gid, out->groups, &out->n_groups) < 0)
		out->n_groups = 0;
	return 0;
}

void et_identity_free(struct et_identity *id)
{
	free(id->groups);
	free(id->home);
	free(id->name);
	free(id->shell);
	memset(id, 0, sizeof(*id));
}

static bool starts_with_any(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		if (!strncmp(text, *prefixes, strlen(*prefixes)))
			return true;
	}
	return false;
}

/* Whether a variable, "NAME" or "NAME=value", is in a list of names; NULL: in none. */
static bool is_listed(const char *names, const char *text)
{
	return names && et_list_has(names, ",", text, strcspn(text, "="));
}

int et_environ_check(const char *names, char *const *envp, struct et_error *err)
{
	for (const char *p = names; p && *p;) {
		size_t n = strcspn(p, ",");
		ET_AUTO_FREE char *name = et_asprintf("%.*s", (int)n, p);
		if (!*name || strchr(name, '='))
			return et_refuse(err,
				"give names only, without values: --pass-env NAME,NAME",
				"--pass-env: '%s' is not the name of a variable", name);
		if (!et_environ_get(envp, name))
			return et_hint(err,
				et_fail(err, ENOENT, ET_EXIT_USAGE,
					"--pass-env: the environment has no variable %s", name),
				"set and export %s, or omit it", name);
		p += n + (p[n] == ',');
	}
	return 0;
}

char **et_environ_make(char *const *envp, const struct et_identity *id, const char *pass)
{
	static const char *const for_others[] = {
		"PATH=", "TERM=", "TZ=", "LANG=", "LANGUAGE=", "LC_", NULL
	};
	static const char *const ours[] = { "ETALON_", "HYPERFINE_ITERATION=", NULL };
	static const char *const secrets[] = { "PGPASSWORD=", "PGPASSFILE=", NULL };
	const char *store = et_environ_get(envp, "ETALON_STORE");
	bool server = store && !strncmp(store, "postgres", 8) && strstr(store, "://");
	char **out = et_calloc(et_strv_length(envp) + 5, sizeof(*out));
	size_t n = 0;

	for (char *const *p = envp; *p; p++) {
		if (id ? starts_with_any(*p, for_others) || is_listed(pass, *p)
		       : !starts_with_any(*p, ours) && !(server && starts_with_any(*p, secrets)))
			out[n++] = et_strdup(*p);
	}
	if (!id)
		return out;
	const char *const own[][2] = { { "HOME", id->home }, { "USER", id->name },
		{ "LOGNAME", id->name }, { "SHELL", id->shell } };
	for (size_t i = 0; i < ET_LENGTH(own); i++) {
		if (!is_listed(pass, own[i][0]))
			out[n++] = et_asprintf("%s=%s", own[i][0], own[i][1]);
	}
	return out;
}

enum { NUMBER_SIZE = 48 };
static const char *const numbers[] = { "HYPERFINE_ITERATION", "ETALON_ITERATION" };

char **et_environ_with_number(char **envp)
{
	size_t n = et_strv_length(envp);

	envp = et_realloc(envp, n + ET_LENGTH(numbers) + 1, sizeof(*envp));
	for (size_t i = 0; i < ET_LENGTH(numbers); i++)
		envp[n + i] = et_alloc(NUMBER_SIZE);
	envp[n + ET_LENGTH(numbers)] = NULL;
	for (size_t i = 0; i < ET_LENGTH(numbers); i++)
		snprintf(envp[n + i], NUMBER_SIZE, "%s=", numbers[i]);
	return envp;
}

void et_environ_number(char **envp, bool warmup, uint32_t n)
{
	size_t at = et_strv_length(envp) - ET_LENGTH(numbers);

	for (size_t i = 0; i < ET_LENGTH(numbers); i++)
		snprintf(envp[at + i], NUMBER_SIZE, "%s=%s%" PRIu32, numbers[i],
			warmup ? "warmup-" : "", n);
}

static const char pad_prefix[] = ET_PAD_VARIABLE "=";

char **et_environ_with_pad(char **envp)
{
	size_t n = 0;

	/* A variable of that name that was passed on has no room. */
	for (char **p = envp; *p; p++) {
		if (strncmp(*p, pad_prefix, sizeof(pad_prefix) - 1))
			envp[n++] = *p;
		else
			free(*p);
	}
	envp = et_realloc(envp, n + 2, sizeof(*envp));
	envp[n] = et_alloc(sizeof(pad_prefix) + ET_MOST_PAD);
	memcpy(envp[n], pad_prefix, sizeof(pad_prefix));
	envp[n + 1] = NULL;
	return envp;
}

void et_environ_pad(char **envp, size_t bytes)
{
	const size_t len = sizeof(pad_prefix) - 1;

	for (; *envp; envp++) {
		if (strncmp(*envp, pad_prefix, len))
			continue;
		memset(*envp + len, 'x', bytes);
		(*envp)[len + bytes] = '\0';
	}
}

const char *et_environ_get(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (char *const *p = envp; *p; p++) {
		if (!strncmp(*p, name, len) && (*p)[len] == '=')
			return *p + len + 1;
	}
	return NULL;
}
