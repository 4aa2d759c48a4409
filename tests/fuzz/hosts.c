/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target: what hosts answer about their tasks, and lists of hosts. */
#include "base/base.h"
#include "engine/ssh.h"
#include "fuzz.h"

#include <string.h>

static int read_states(char *text)
{
	struct et_ssh_host hosts[2] = { { 0 } };
	struct et_ssh s = { .hosts = hosts, .n_hosts = 2 };
	int accepted = 0, host = 0;

	for (char *rest = text, *line; (line = strsep(&rest, "\n")); host = !host)
		accepted |= et_ssh_read_state(&s, host, line);
	for (size_t i = 0; i < s.n_jobs; i++) {
		const struct et_ssh_job *j = &s.jobs[i];
		FUZZ_CHECK(j->state != ET_SSH_ENDED || (j->status >= 0 && j->status <= 255));
		FUZZ_CHECK(j->host == 0 || j->host == 1 || j->host == ET_SSH_NO_HOST);
		for (const char *c = j->why; *c; c++)
			FUZZ_CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
		for (size_t k = 0; k < i; k++)
			FUZZ_CHECK(s.jobs[k].part != j->part);
	}
	free(s.jobs);
	return accepted;
}

/* A host is a word of ssh and part of a path on the host. */
static int read_hosts(const char *text)
{
	struct et_ssh_host *hosts = NULL;
	struct et_error err;
	size_t n = 0;

	if (text[0] == '@' || et_ssh_hosts_read(text, NULL, &hosts, &n, &err))
		return 0;
	FUZZ_CHECK(n > 0);
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(hosts[i].address[0] && hosts[i].address[0] != '-');
		FUZZ_CHECK(!strpbrk(hosts[i].name, "/'\"\\$` \n\t;&|<>"));
		FUZZ_CHECK(hosts[i].name[0] != '.' && hosts[i].name[0] != '-');
	}
	et_ssh_hosts_free(hosts, n);
	return 1;
}

static int fuzz_hosts(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	int accepted = read_hosts(text);

	accepted |= read_states(text);
	free(text);
	return accepted;
}

FUZZ_TARGET(hosts) = { "hosts", fuzz_hosts, 10000,
	.tokens = TOKENS(",", "@", ":", "[", "]", "-", ".", " ", "\n", "running", "ended ", "lost",
		"1.1 ", "255", "4294967296"),
	.input = "lists of hosts for ssh, and what hosts answer about their tasks",
	.holds = "a name is safe as a word and in a path; one job per part" };
