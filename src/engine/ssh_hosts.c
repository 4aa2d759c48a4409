/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of hosts as the user gives them. */
#include "base/lines.h"
#include "base/parse.h"
#include "engine/ssh.h"

enum { MOST_HOSTS = 10000, LONGEST_NAME = 63 };

/* A name is part of a command line and of a path on the host: nothing else may be in it. */
static bool is_plain(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-%:[]";

	return text[0] && text[0] != '-' && text[0] != '.' && !text[strspn(text, allowed)];
}

static int refuse(const char *name, struct et_error *err)
{
	return et_refuse(err,
		"write HOST, USER@HOST or USER@HOST:PORT; an address of IPv6 with a port is "
		"written in brackets",
		"--engine ssh: '%s' is no host", name);
}

/* Cuts ":PORT" off an address; a second colon means that it is an address of IPv6. */
static int cut_port(char *address, unsigned *port, struct et_error *err)
{
	char *end = address[0] == '[' ? strchr(address, ']') : NULL;
	char *colon = end ? strchr(end, ':') : strchr(address, ':');
	uint64_t value;

	if (end && end[1] && end[1] != ':')
		return refuse(address, err);
	if (colon && (end || !strchr(colon + 1, ':'))) {
		int rc = et_parse_u64("the port of --engine ssh", colon + 1, 1, 65535, &value, err);
		if (rc)
			return rc;
		*port = (unsigned)value;
		*colon = '\0';
	}
	if (end) {
		*end = '\0';
		memmove(address, address + 1, strlen(address));
	}
	return 0;
}

static int read_host(const char *name, struct et_ssh_host *h, struct et_error *err)
{
	const char *at = strrchr(name, '@');
	ET_AUTO_FREE char *user = at ? et_strndup(name, (size_t)(at - name)) : NULL;
	ET_AUTO_FREE char *address = et_strdup(at ? at + 1 : name);
	unsigned port = 0;

	if (strlen(name) > LONGEST_NAME || !is_plain(address) || (user && !is_plain(user)))
		return refuse(name, err);
	int rc = cut_port(address, &port, err);
	if (rc)
		return rc;
	if (!is_plain(address))
		return refuse(name, err);
	*h = (struct et_ssh_host){ .name = et_strdup(name),
		.address = et_strdup(address),
		.user = user ? et_strdup(user) : NULL,
		.port = port };
	return 0;
}

int et_ssh_host_find(const struct et_ssh_host *hosts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(hosts[i].name, name))
			return (int)i;
	return ET_SSH_NO_HOST;
}

struct list {
	struct et_ssh_host *hosts;
	size_t n, room;
};

static int add_host(struct list *l, const char *name, struct et_error *err)
{
	struct et_ssh_host h;
	int rc = read_host(name, &h, err);

	if (rc)
		return rc;
	bool twice = et_ssh_host_find(l->hosts, l->n, name) != ET_SSH_NO_HOST;
	ET_GROW(l->hosts, l->n, l->room);
	l->hosts[l->n++] = h;
	if (twice)
		return et_refuse(err, NULL, "--engine ssh: %s is named twice", name);
	if (l->n > MOST_HOSTS)
		return et_refuse(err, NULL, "--engine ssh: more than %d hosts", MOST_HOSTS);
	return 0;
}

/* One host per line; # begins a comment. */
static int read_file(const char *path, struct list *l, struct et_error *err)
{
	FILE *in = fopen(path, "re");
	int rc = in ? 0 : et_fail_file(err, errno, ET_EXIT_USAGE, path);
	struct et_lines lines = { .in = in, .longest = 4096 };
	char *line;
	size_t length;

	while (!rc) {
		int more = et_lines_next(&lines, &line, &length);
		if (more < 0)
			rc = et_fail_file(err, -more, ET_EXIT_USAGE, path);
		if (more <= 0)
			break;
		line[strcspn(line, "#")] = '\0';
		line += strspn(line, " \t");
		line[strcspn(line, " \t")] = '\0';
		if (line[0])
			rc = add_host(l, line, err);
	}
	et_lines_free(&lines);
	if (in)
		fclose(in);
	return rc;
}

static int read_list(const char *text, struct list *l, struct et_error *err)
{
	ET_AUTO_FREE char *copy = et_strdup(text);
	int rc = 0;

	for (char *rest = copy, *name; !rc && (name = strsep(&rest, ","));)
		rc = add_host(l, name, err);
	return rc;
}

static void free_host(struct et_ssh_host *h)
{
	free(h->name);
	free(h->address);
	free(h->user);
}

/* Keeps the hosts that `nodes` names, in their old order. */
static int keep(struct list *l, const char *nodes, struct et_error *err)
{
	ET_AUTO_FREE char *copy = et_strdup(nodes);
	ET_AUTO_FREE bool *kept = et_calloc(l->n + 1, sizeof(*kept));
	size_t n = 0;

	for (char *rest = copy, *name; (name = strsep(&rest, ","));) {
		int at = et_ssh_host_find(l->hosts, l->n, name);
		if (at < 0)
			return et_refuse(err, "write it as in --engine",
				"--nodes: '%s' is none of the hosts of --engine ssh", name);
		kept[at] = true;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (kept[i])
			l->hosts[n++] = l->hosts[i];
		else
			free_host(&l->hosts[i]);
	}
	l->n = n;
	return 0;
}

int et_ssh_hosts_read(const char *text, const char *nodes, struct et_ssh_host **out, size_t *n,
	struct et_error *err)
{
	struct list l = { 0 };
	int rc = text[0] == '@' ? read_file(text + 1, &l, err) : read_list(text, &l, err);

	if (!rc && !l.n)
		rc = et_refuse(err, NULL, "--engine ssh: '%s' names no host", text);
	if (!rc && nodes)
		rc = keep(&l, nodes, err);
	if (rc) {
		et_ssh_hosts_free(l.hosts, l.n);
		return rc;
	}
	*out = l.hosts;
	*n = l.n;
	return 0;
}

void et_ssh_hosts_free(struct et_ssh_host *hosts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_host(&hosts[i]);
	free(hosts);
}
