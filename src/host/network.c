/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/network.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/factors.h"

#include <limits.h>
#include <string.h>

enum { ROUTES_BYTES = 64 * 1024 };

static bool plain_name(const char *name)
{
	return *name && strlen(name) < IF_NAMESIZE && !strchr(name, '/') && strcmp(name, ".") &&
	       strcmp(name, "..");
}

static int add(const char *root, const char *name, struct et_link *list, int n)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(list[i].name, name))
			return n;
	}
	if (n == ET_MOST_LINKS || !plain_name(name))
		return n;
	snprintf(list[n].name, sizeof(list[n].name), "%s", name);
	list[n].state = et_link_state(root, name);
	return n + 1;
}

/* A line is "eth0 00000000 0102A8C0 0003 …": interface, destination, gateway, flags. */
static int add_ipv4(const char *root, const char *text, struct et_link *list, int n)
{
	char name[32], to[32];

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%31s %31s", name, to) == 2 && !strcmp(to, "00000000"))
			n = add(root, name, list, n);
	}
	return n;
}

/* A line has the destination, its prefix length, seven other fields, and the interface. */
static int add_ipv6(const char *root, const char *text, struct et_link *list, int n)
{
	char name[32], to[40], prefix[8];

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%39s %7s %*s %*s %*s %*s %*s %*s %*s %31s", to, prefix, name) ==
				3 &&
			!strcmp(prefix, "00") && strspn(to, "0") == strlen(to) &&
			strcmp(name, "lo"))
			n = add(root, name, list, n);
	}
	return n;
}

int et_links_read(const char *root, struct et_link out[ET_MOST_LINKS])
{
	ET_AUTO_FREE char *text = et_alloc(ROUTES_BYTES);
	ssize_t rc = et_sysroot_read(root, "/proc/net/route", text, ROUTES_BYTES);

	if (rc < 0)
		return (int)rc;
	int n = add_ipv4(root, text, out, 0);
	if (et_sysroot_read(root, "/proc/net/ipv6_route", text, ROUTES_BYTES) > 0)
		n = add_ipv6(root, text, out, n);
	return n;
}

enum et_link_state et_link_state(const char *root, const char *name)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), "/sys/class/net/%s/operstate", name);
	if (et_sysroot_line(root, path, text, sizeof(text)) <= 0)
		return ET_LINK_GONE;
	if (!strcmp(text, "up"))
		return ET_LINK_UP;
	/* Interfaces such as tunnels do not report their state, only whether they have a carrier.
	 */
	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", name);
	return !strcmp(text, "unknown") && et_sysroot_line(root, path, text, sizeof(text)) > 0 &&
			       !strcmp(text, "1")
		       ? ET_LINK_UP
		       : ET_LINK_DOWN;
}

int et_link_speed(const char *root, const char *name)
{
	char path[64], text[32];
	uint64_t speed;

	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", name);
	if (et_sysroot_line(root, path, text, sizeof(text)) <= 0 ||
		et_parse_u64("speed", text, 1, INT_MAX, &speed, NULL))
		return 0;
	return (int)speed;
}

void et_factor_network_read(const struct et_machine *m, struct et_finding *f)
{
	static const char *const words[] = { "gone", "down", "up" };
	struct et_link links[ET_MOST_LINKS];
	ET_AUTO_FREE char *state = NULL;
	int n = et_links_read(m->root, links);
	bool up = true;

	for (int i = 0; i < n; i++) {
		int speed = et_link_speed(m->root, links[i].name);
		et_append(&state, "; ", "%s %s", links[i].name, words[links[i].state]);
		if (speed)
			et_append(&state, ", ", "%d Mb/s", speed);
		up = up && links[i].state == ET_LINK_UP;
	}
	if (n >= 0)
		et_finding_set(f, up ? ET_VERDICT_FINE : ET_VERDICT_DISTURBS, "%s",
			state ? state : "no default route");
}
