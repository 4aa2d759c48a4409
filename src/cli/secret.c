/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/secret.h"
#include "store/core/store.h"

/* The URLs that had passwords. */
static struct hidden {
	const char *shown;
	char *url;
	struct hidden *next;
} * all;

void et_secret_hide(char *argument)
{
	if (!argument)
		return;
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(argument);
	size_t size = strlen(argument);

	if (!strcmp(shown, argument))
		return;
	struct hidden *h = et_calloc(1, sizeof(*h));
	*h = (struct hidden){ argument, et_strdup(argument), all };
	all = h;
	explicit_bzero(argument, size);
	memcpy(argument, shown, strlen(shown));
}

void et_secret_move(const char *variable)
{
	char *value = getenv(variable);
	ET_AUTO_FREE char *copy = value ? et_strdup(value) : NULL;

	if (!value || setenv(variable, copy, 1))
		return;
	/* The kernel shows the memory in which the caller passed the variables. */
	explicit_bzero(value, strlen(value));
	explicit_bzero(copy, strlen(copy));
}

int et_set_url(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	et_secret_hide(args[0]);
	return et_set_text(o, ctx, args, err);
}

const char *et_secret_url(const char *shown)
{
	const struct hidden *h = all;

	while (h && h->shown != shown)
		h = h->next;
	return h ? h->url : shown;
}

/* Returns the first URL of a server in the text, or NULL. */
static const char *find_url(const char *text)
{
	while ((text = strstr(text, "postgres")) && !et_store_url_is_server(text))
		text++;
	return text;
}

char *et_secret_remove(const char *text)
{
	char *out = et_alloc(strlen(text) + 1), *end = out;

	for (const char *url; (url = find_url(text));) {
		size_t n = strcspn(url, " '\"\t\n");
		ET_AUTO_FREE char *copy = et_asprintf("%.*s", (int)n, url);
		ET_AUTO_FREE char *shown = et_store_url_without_secrets(copy);
		memcpy(end, text, (size_t)(url - text));
		end += url - text;
		memcpy(end, shown, strlen(shown));
		end += strlen(shown);
		text = url + n;
	}
	memcpy(end, text, strlen(text) + 1);
	return out;
}
