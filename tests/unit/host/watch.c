/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of the clock and the network between two looks at a captured machine. */
#include "host/watch.h"
#include "tap.h"

#include <stdlib.h>

static char folder[] = "/tmp/etalon-watch.XXXXXX";
static char tree[64], seen[512];

static void note(void *ctx, const char *factor, const char *what)
{
	(void)ctx;
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%s: %s", seen[0] ? "; " : "",
		factor, what);
}

static void shell(const char *fmt, const char *name)
{
	char command[512], inside[300];

	snprintf(inside, sizeof(inside), fmt, name);
	snprintf(command, sizeof(command), "cd %s && %s", tree, inside);
	if (system(command))
		printf("# failed: %s\n", command);
}

static void look(struct et_watch *w, const char *expect, const char *label)
{
	seen[0] = '\0';
	et_watch_look(w);
	is_str(seen, expect, "watch: %s", label);
}

static void check_links(void)
{
	struct et_link links[ET_MOST_LINKS];
	char root[512];

	snprintf(root, sizeof(root), "%s/sysroot/amd", getenv("ET_TEST_DATA"));
	ok(et_links_read(root, links) == 2 && !strcmp(links[0].name, "eth0") &&
			links[0].state == ET_LINK_UP && links[1].state == ET_LINK_DOWN,
		"network: two interfaces with a default route");
	snprintf(root, sizeof(root), "%s/sysroot/arm64", getenv("ET_TEST_DATA"));
	ok(et_links_read(root, links) == 1 && !strcmp(links[0].name, "enP2p1s0"),
		"network: a default route of IPv6 alone, without the loopback interface");
	snprintf(root, sizeof(root), "%s/sysroot/vm", getenv("ET_TEST_DATA"));
	ok(et_links_read(root, links) == 1 && links[0].state == ET_LINK_UP,
		"network: an interface without a state is up if it has a carrier");
	ok(et_link_speed(root, "tun0") == 0, "network: an interface without a speed");
	snprintf(root, sizeof(root), "%s/sysroot/container", getenv("ET_TEST_DATA"));
	ok(et_links_read(root, links) < 0, "network: without a list of routes there is an error");
}

/* Names that are too long, not names, or one too many. */
static void check_hostile_routes(void)
{
	struct et_link links[ET_MOST_LINKS];

	shell("%s proc/net/route",
		"printf '../../etc 00000000\\naaaaaaaaaaaaaaaaaaaaaaaa 00000000\\n"
		".. 00000000\\nx\\n\\n' >");
	ok(et_links_read(tree, links) == 0, "network: names that are no interfaces are ignored");
	shell("%s", "for i in $(seq 20); do echo eth$i 00000000 0; done >proc/net/route");
	ok(et_links_read(tree, links) == ET_MOST_LINKS,
		"network: more interfaces than there is room for");
}

int main(void)
{
	char command[600];
	struct et_machine m;
	struct et_watch w = { .machine = &m, .changed = note };

	if (!mkdtemp(folder))
		return 1;
	snprintf(tree, sizeof(tree), "%s/tree", folder);
	snprintf(command, sizeof(command), "cp -a %s/sysroot/laptop %s", getenv("ET_TEST_DATA"),
		tree);
	if (system(command))
		return 1;
	check_links();
	et_machine_read(&m, tree, NULL, 0);
	et_watch_begin(&w);
	ok(w.n_links == 1 && w.n_daemons == 1, "watch: it finds the link and the time daemon");
	look(&w, "", "nothing changes");
	shell("echo down >sys/class/net/%s/operstate", "enp0s31f6");
	look(&w, "network: the link enp0s31f6 went down", "a link goes down");
	look(&w, "", "a link that stays down is reported once");
	shell("echo up >sys/class/net/%s/operstate", "enp0s31f6");
	look(&w, "network: the link enp0s31f6 came up", "a link comes up");
	shell("mv sys/class/net/%s away", "enp0s31f6");
	look(&w, "network: the link enp0s31f6 disappeared", "an interface is removed");
	shell("mv away sys/class/net/%s", "enp0s31f6");
	shell("cp -a proc/%s proc/811 && mv proc/810 away && sed -i 's/^810/811/' proc/811/stat",
		"810");
	look(&w,
		"time-sync: the time daemon systemd-timesyncd was restarted; network: the link "
		"enp0s31f6 came up",
		"a time daemon is restarted while an interface is added");
	shell("rm -r proc/%s", "811");
	look(&w, "time-sync: the time daemon systemd-timesyncd ended", "a time daemon ends");
	look(&w, "", "a time daemon that has ended is reported once");
	for (int i = 0; i < 2 * ET_MOST_CHANGES; i++) {
		w.links[0].state = i % 2 ? ET_LINK_UP : ET_LINK_DOWN;
		seen[0] = '\0';
		et_watch_look(&w);
	}
	is_str(seen, "", "watch: a link that flaps is reported a limited number of times");
	check_hostile_routes();
	et_machine_free(&m);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : tap_done();
}
