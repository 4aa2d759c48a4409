/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/trust.h"
#include "base/folder.h"
#include "base/parse.h"
#include "host/host.h"
#include "model/design/json.h"
#include "model/experiment/field.h"
#include "model/experiment/machine_id.h"
#include "store/sqlite/sqlite.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

/* --- digests --- */

/* With its length, so that no two lists of texts give the same bytes. "" is as good as none. */
static void add_text(struct et_sha256 *h, const char *text)
{
	ET_AUTO_FREE char *bytes =
		et_asprintf("%zu:%s,", text ? strlen(text) : 0, text ? text : "");

	et_sha256_add(h, bytes, strlen(bytes));
}

static void add_number(struct et_sha256 *h, int64_t number)
{
	char text[32];

	et_sha256_add(h, text, (size_t)snprintf(text, sizeof(text), "%" PRId64 ",", number));
}

static void add_command(struct et_sha256 *h, const struct et_command *c)
{
	size_t n = et_strv_length(c->argv);

	add_number(h, (int64_t)n);
	for (size_t i = 0; i < n; i++)
		add_text(h, c->argv[i]);
	add_text(h, c->setup);
	add_text(h, c->prepare);
	add_text(h, c->conclude);
	add_text(h, c->cleanup);
}

void et_trust_digest(const struct et_experiment *e, char out[ET_SHA256_TEXT])
{
	ET_AUTO_FREE char *design = e->design ? et_design_text(e->design, false) : NULL;
	struct et_sha256 h;

	et_sha256_begin(&h);
	for (const struct et_field *field = et_child_fields; field->name; field++) {
		if (field->kind == ET_FIELD_STRING)
			add_text(&h, et_field_text(field, &e->child));
		else
			add_number(&h, et_field_int(field, &e->child));
	}
	add_number(&h, (int64_t)e->n_commands);
	for (size_t i = 0; i < e->n_commands; i++)
		add_command(&h, &e->commands[i]);
	add_text(&h, design);
	et_sha256_end(&h, out);
}

static void digest_campaign(const struct et_campaign *c, char out[ET_SHA256_TEXT])
{
	struct et_sha256 h;

	et_sha256_begin(&h);
	add_text(&h, c->label);
	add_text(&h, et_campaign_kind_names[c->kind]);
	add_text(&h, c->engine);
	add_text(&h, c->options);
	add_text(&h, c->record);
	add_number(&h, (int64_t)c->n_parts);
	for (size_t i = 0; i < c->n_parts; i++) {
		add_number(&h, c->parts[i].first_round);
		add_number(&h, c->parts[i].rounds);
		add_text(&h, c->parts[i].node);
	}
	et_sha256_end(&h, out);
}

/* --- the list: lines of "HOW KIND ID DIGEST WORDS" --- */

struct deed {
	const char *kind, *id;
	char digest[ET_SHA256_TEXT];
	const char *words; /* to be kept, or NULL */
};

/* The lines of the list about a deed. */
struct standing {
	bool begun, trusted;        /* as it is */
	bool changed;               /* it was begun with another digest */
	char shown[ET_SHA256_TEXT]; /* the digest that was printed last, or "" */
	char *words;                /* owned; NULL: none */
};

/* Whether only this user can have written the file. */
static bool is_private(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_nlink == 1;
}

/* Returns a descriptor, or -1. Root uses no list in a folder that another user controls. */
static int open_list(const char *list, int flags)
{
	ET_AUTO_FREE char *path = list ? et_strdup(list) : NULL;
	struct stat st;

	if (!path || (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) ||
		et_sqlite_check_owner(&path, NULL))
		return -1;
	if (flags & O_CREAT && et_folders_make(path, 0700))
		return -1;
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd >= 0 && !is_private(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Machines that share a home append to the same file, and a file system of the network needs the
 * lock for that. Nobody holds it for long; if somebody does, it is not waited for.
 */
static void lock_list(int fd)
{
	enum { TRIES = 20 };
	const struct timespec wait = { .tv_nsec = 5000000 };

	for (int i = 0; i < TRIES && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; i++)
		nanosleep(&wait, NULL);
}

/*
 * One write() of a whole line: an etalon that is killed leaves the line, or nothing. Returns
 * whether it was written.
 */
static bool append(const char *list, const char *how, const struct deed *d)
{
	ET_AUTO_CLOSE int fd = open_list(list, O_RDWR | O_APPEND | O_CREAT);
	struct stat st;
	char last = '\n';

	/* A store checks ids; one with a newline would forge a line here. */
	if (fd < 0 || !et_experiment_is_id(d->id))
		return false;
	lock_list(fd);
	/* A full disk may have cut the line before. */
	if (fstat(fd, &st) == 0 && st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1)
		return false;
	ET_AUTO_FREE char *line = et_asprintf("%s%s %s %s %s%s%s\n", last == '\n' ? "" : "\n", how,
		d->kind, d->id, d->digest, d->words ? " " : "", d->words ? d->words : "");
	return write(fd, line, strlen(line)) == (ssize_t)strlen(line);
}

/* Splits the next word off; returns "" at the end. */
static char *next_word(char **rest)
{
	char *word = *rest ? strsep(rest, " ") : NULL;

	return word ? word : *rest ? *rest : (char *)"";
}

static void read_line(char *line, const struct deed *d, struct standing *out)
{
	char *rest = line;
	const char *how = next_word(&rest), *kind = next_word(&rest), *id = next_word(&rest),
		   *digest = next_word(&rest);

	if (strcmp(kind, d->kind) != 0 || strcmp(id, d->id) != 0 ||
		strlen(digest) != ET_SHA256_TEXT - 1)
		return;
	bool same = !strcmp(digest, d->digest);
	if (!strcmp(how, "shown")) {
		memcpy(out->shown, digest, ET_SHA256_TEXT);
		return;
	}
	bool begun = !strcmp(how, "begun"), trusted = !strcmp(how, "trusted");
	if (!begun && !trusted)
		return;
	out->changed = out->changed || !same;
	out->begun = out->begun || (same && begun);
	out->trusted = out->trusted || (same && trusted);
	if (same) {
		free(out->words);
		out->words = rest ? et_strdup(rest) : NULL;
	}
}

static struct standing look_up(const char *list, const struct deed *d)
{
	struct standing found = { 0 };
	int fd = open_list(list, O_RDONLY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	ET_AUTO_FREE char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while (f && (n = getline(&line, &room, f)) > 0) {
		if (line[n - 1] != '\n')
			break;
		line[n - 1] = '\0';
		read_line(line, d, &found);
	}
	if (f)
		fclose(f);
	return found;
}

/* --- the decision --- */

static int refuse(
	const struct et_trust *t, const struct deed *d, const char *why, struct et_error *err)
{
	int rc = et_fail(err, EPERM, ET_EXIT_USAGE, "%s %s %s: its commands are not run", d->kind,
		d->id, why);

	append(t->list, "shown", d);
	if (*t->planned)
		return et_fail_hint(err, EPERM, ET_EXIT_USAGE,
			"go to the folder in which it was begun, or begin anew: etalon doe run "
			"--new PLAN",
			"%s %s %s, and its commands or folder are not those of the plan", d->kind,
			d->id, why);
	if (!t->way)
		return et_hint(err, rc, "begin anew, without --resume");
	return et_hint(err, rc,
		"read what it would run; if you trust it, use '%s %s --trust-record'", t->way,
		d->id);
}

/* Where the data comes from. */
struct source {
	const struct et_experiment *e; /* NULL: a campaign */
	const char *elsewhere;         /* why it was not made here; NULL: it was */
	bool shared;                   /* other users can write the store */
};

static bool is_own(const struct et_trust *t, const struct deed *d, const struct standing *is,
	const struct source *from)
{
	bool known = is->begun || is->trusted || is->changed;

	if (is->trusted || (*t->planned && !strcmp(t->planned, d->digest)))
		return true;
	if (from->elsewhere)
		return false;
	return is->begun || (!known && t->own_place && !from->shared);
}

static const char *reason(const struct standing *is, const struct source *from)
{
	if (from->elsewhere)
		return from->elsewhere;
	if (is->changed)
		return "was changed since it was begun";
	return from->shared ? "is in a store that other users can write"
			    : "is not among those that you began here";
}

/* The only function that decides. */
static int decide(const struct et_trust *t, struct deed *d, const struct source *from, char **words,
	struct et_error *err)
{
	struct standing is = look_up(t->list, d);
	ET_AUTO_FREE char *kept = is.words;

	if (is_own(t, d, &is, from)) {
		if (words && kept) {
			free(*words);
			*words = et_strdup(kept);
		}
		return 0;
	}
	if (t->review)
		t->review(t->ctx, from->e);
	/* The newest of a label may be another one than what was read. */
	if (!t->given || !t->named || strcmp(t->named, d->id) != 0)
		return refuse(t, d, reason(&is, from), err);
	if (*is.shown && strcmp(is.shown, d->digest) != 0)
		return refuse(t, d, "was changed since it was shown", err);
	d->words = words ? *words : NULL;
	/* Without the list, nobody knows whether it is what was shown. */
	if (!append(t->list, "trusted", d))
		return et_fail_hint(err, EPERM, ET_EXIT_OUTSIDE,
			"it must be a file that only you can write, with space left; or set "
			"XDG_STATE_HOME to another folder",
			"%s: the list of what you began here cannot be written",
			t->list ? t->list : "begun");
	return 0;
}

static struct deed deed_of(const struct et_experiment *e)
{
	struct deed d = { .kind = "experiment", .id = e->id };

	et_trust_digest(e, d.digest);
	return d;
}

static struct deed deed_of_campaign(const struct et_campaign *c)
{
	struct deed d = { .kind = "campaign", .id = c->id };

	digest_campaign(c, d.digest);
	return d;
}

/* Why an experiment was not measured on this machine; NULL: it was. */
static const char *made_elsewhere(const struct et_experiment *e)
{
	char machine[sizeof(e->machine)];

	switch (e->origin) {
	case ET_ORIGIN_IMPORTED:
		return "was imported";
	case ET_ORIGIN_UNKNOWN:
		return "is of unknown origin";
	case ET_ORIGIN_MEASURED:
		break;
	}
	et_host_identity("", machine, sizeof(machine));
	return et_machine_same(e->machine, machine) ? NULL : "was measured on another machine";
}

int et_trust_experiment(const struct et_trust *t, const struct et_store *store,
	const struct et_experiment *e, struct et_error *err)
{
	struct deed d = deed_of(e);
	struct source from = { e, made_elsewhere(e), et_store_is_shared(store) };

	return decide(t, &d, &from, NULL, err);
}

int et_trust_campaign(
	const struct et_trust *t, const struct et_campaign *c, char **words, struct et_error *err)
{
	struct deed d = deed_of_campaign(c);
	struct source from = { NULL, NULL, true };

	return decide(t, &d, &from, words, err);
}

bool et_trust_knows_campaign(const char *list, const char *id)
{
	struct deed d = { .kind = "campaign", .id = id };
	struct standing is = look_up(list, &d);

	free(is.words);
	return is.changed; /* by a digest, which d has not */
}

void et_trust_begin(const char *list, const struct et_experiment *e)
{
	struct deed d = deed_of(e);

	append(list, "begun", &d);
}

void et_trust_begin_campaign(const char *list, const struct et_campaign *c, const char *words)
{
	struct deed d = deed_of_campaign(c);

	d.words = words;
	append(list, "begun", &d);
}
