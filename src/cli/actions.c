/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Enforces the columns of the tables of actions and options, for every command alike. */
#include "base/nearest.h"
#include "cli/cli.h"

#include <ctype.h>

unsigned et_verb_takers(const struct et_verb *verb, const struct et_option *o)
{
	return et_option_named(verb->engine_options, o->name) ? verb->engine_of : o->of;
}

char *et_verb_list_actions(const struct et_verb *verb, unsigned bits, const char *before,
	const char *after, const char *last)
{
	char *list = et_strdup("");
	unsigned left = 0;

	for (const struct et_action *a = verb->actions; a && a->name; a++)
		left |= bits & a->bit;
	for (const struct et_action *a = verb->actions; left; a++) {
		if (!(left & a->bit))
			continue;
		left &= ~a->bit;
		et_append(&list,
			!*list ? ""
			: left ? ", "
			       : last,
			"%s%s%s", before, a->name, after);
	}
	return list;
}

/* --- relations of options --- */

static bool is_word(const char *name, const char *word, size_t len)
{
	return name && !strncmp(name, word, len) && !name[len];
}

static const struct et_option *given(const struct et_operands *ops, const char *name, size_t len)
{
	for (size_t i = 0; i < ops->n_options; i++) {
		if (is_word(ops->options[i]->name, name, len))
			return ops->options[i];
	}
	return NULL;
}

static int check_needs(
	const struct et_option *o, const struct et_operands *ops, struct et_error *err)
{
	ET_AUTO_FREE char *cure = NULL;

	for (const char *p = o->needs; p && *p; p += strspn(p, "|")) {
		size_t len = strcspn(p, "|");
		if (given(ops, p, len))
			return 0;
		et_append(&cure, p[len] ? ", " : " or ", "--%.*s", (int)len, p);
		p += len;
	}
	if (!cure)
		return 0;
	return et_hint(err, et_refuse(err, NULL, "--%s needs %s", o->name, cure),
		"add %s, or omit --%s", cure, o->name);
}

bool et_option_is_listed(const char *list, const struct et_option *o)
{
	bool found = false;

	for (const char *p = list; p && *p && !found; p += strspn(p, "|")) {
		size_t len = strcspn(p, "|");
		found = *p == '@' ? is_word(o->kind, p + 1, len - 1) : is_word(o->name, p, len);
		p += len;
	}
	return found;
}

bool et_option_excludes(const struct et_option *o, const struct et_option *other)
{
	return et_option_is_listed(o->excludes, other) && strcmp(o->name, other->name) != 0;
}

/* The name of an action is no operand. */
static int check_excludes(const struct et_option *o, const struct et_action *action,
	const struct et_operands *ops, struct et_error *err)
{
	const char *p = o->excludes ? o->excludes : "";
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ops->n_options; i++) {
		if (et_option_excludes(o, ops->options[i]))
			rc = et_refuse(err, NULL, "--%s and --%s exclude each other", o->name,
				ops->options[i]->name);
	}
	while (*p && !isupper((unsigned char)*p))
		p += strcspn(p, "|") + (strchr(p, '|') != NULL);
	if (rc == 0 && *p && ops->n_before + ops->n_after > (action ? 1 : 0))
		rc = et_refuse(err, NULL, "--%s takes no %.*s", o->name, (int)strcspn(p, "|"), p);
	return rc ? et_hint(err, rc, "omit one of them") : 0;
}

static int check_taken(const struct et_verb *verb, const struct et_action *action,
	const struct et_option *o, struct et_error *err)
{
	unsigned takers = et_verb_takers(verb, o);

	if (!action || !takers || takers & action->bit)
		return 0;
	ET_AUTO_FREE char *before = et_asprintf("'%s ", verb->name);
	ET_AUTO_FREE char *list = et_verb_list_actions(verb, takers, before, "'", " and ");
	int rc = et_refuse(err, NULL, "%s %s takes no --%s", verb->name, action->name, o->name);
	if (__builtin_popcount(takers) <= ET_MOST_ACTIONS)
		return et_hint(err, rc, "it is an option of %s", list);
	return et_hint(err, rc, "omit it; 'etalon %s --help' lists the options", verb->name);
}

int et_cli_check_relations(const struct et_verb *verb, const struct et_action *action,
	const struct et_operands *ops, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ops->n_options; i++)
		rc = check_taken(verb, action, ops->options[i], err);
	/* Exclusions come first, because the user will omit such an option. */
	for (size_t i = 0; rc == 0 && i < ops->n_options; i++) {
		const struct et_option o = et_verb_changed(verb, ops->options[i]);
		rc = check_excludes(&o, action, ops, err);
	}
	for (size_t i = 0; rc == 0 && i < ops->n_options; i++) {
		const struct et_option o = et_verb_changed(verb, ops->options[i]);
		rc = check_needs(&o, ops, err);
	}
	return rc;
}

/* --- actions --- */

static const struct et_action *find(const struct et_verb *verb, const char *name)
{
	const struct et_action *a = verb->actions;

	while (a->name && strcmp(a->name, name))
		a++;
	return a->name ? a : NULL;
}

unsigned et_verb_action_named(const struct et_verb *verb, int argc, char **argv)
{
	for (int k = 1; verb->actions && k < argc && strcmp(argv[k], "--"); k++) {
		const struct et_action *a = find(verb, argv[k]);
		if (a)
			return a->bit;
	}
	return 0;
}

/* Returns the action of which the word is an operand, or NULL. */
static const struct et_action *operand_of(const struct et_verb *verb, const char *word)
{
	for (const struct et_action *a = verb->actions; a->name; a++) {
		for (size_t i = 0; a->operand && a->operand(i); i++) {
			if (!strcmp(a->operand(i), word))
				return a;
		}
	}
	return NULL;
}

static int refuse_action(const struct et_verb *verb, const char *typed, struct et_error *err)
{
	const struct et_action *a = operand_of(verb, typed);
	struct et_nearest n = et_nearest_to(typed);
	const char *word = verb->action_word ? verb->action_word : "action";
	int rc = *typed ? et_refuse(err, NULL, "%s: unknown %s '%s'", verb->name, word, typed)
			: et_refuse(err, NULL, "%s: no %s given", verb->name, word);

	for (const struct et_action *b = verb->actions; b->name; b++)
		et_nearest_offer(&n, b->name);
	if (a)
		return et_hint(err, rc, "use 'etalon %s %s %s'", verb->name, a->name, typed);
	if (n.best)
		return et_hint(err, rc, "did you mean '%s %s'?", verb->name, n.best);
	if (find(verb, "list"))
		return et_hint(err, rc, "run 'etalon %s list' to see them", verb->name);
	ET_AUTO_FREE char *before = et_asprintf("'%s ", verb->name);
	ET_AUTO_FREE char *list = et_verb_list_actions(verb, UINT_MAX, before, "'", " or ");
	return et_hint(err, rc, "use %s", list);
}

static int check_operands(const struct et_verb *verb, const struct et_action *a,
	const struct et_operands *ops, struct et_error *err)
{
	size_t n = ops->n_before - 1;
	const char *odd = n > a->most ? ops->before[a->most + 1] : ops->n_after ? "--" : NULL;
	bool alone = false;
	int rc = 0;

	for (size_t i = 0; i < ops->n_options; i++)
		alone |= ops->options[i]->alone;
	if (odd)
		rc = et_refuse(err, NULL, "%s %s: unexpected '%s'", verb->name, a->name, odd);
	else if (n < a->least && !alone)
		rc = et_refuse(err, NULL, "%s %s: name %s", verb->name, a->name, a->wants);
	if (rc && a->hint)
		return et_hint(err, rc, "%s", a->hint);
	return rc ? et_hint(err, rc, "see 'etalon %s --help'", verb->name) : 0;
}

int et_cli_call(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv,
	const struct et_cli_targets *targets, struct et_call *out)
{
	struct et_operands ops;
	struct et_error err;
	int status = et_cli_parse_into(cli, verb, argc, argv, targets, &ops);

	if (status >= 0)
		return status;
	const char *name = ops.n_before ? ops.before[0] : "";
	const struct et_action *action = find(verb, name);
	int rc = action ? et_cli_check_relations(verb, action, &ops, &err)
			: refuse_action(verb, name, &err);
	if (rc == 0)
		rc = check_operands(verb, action, &ops, &err);
	if (rc) {
		et_operands_free(&ops);
		return et_cli_fail(&err);
	}
	et_confine(action->rights);
	*out = (struct et_call){ cli, action, targets->ctx, ops.before + 1, ops.n_before - 1,
		ET_EXIT_DONE, ops };
	return -1;
}

int et_call_run(struct et_call *call)
{
	struct et_error err = { 0 };
	int rc = call->action->run(call, &err);

	et_operands_free(&call->ops);
	return rc ? et_cli_fail(&err) : call->status;
}
