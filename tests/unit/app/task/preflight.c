/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of nodes before a campaign: probes are written, read and judged. */
#include "campaign/preflight.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>

/* --- a probe of this machine --- */

static char *own_probe(const char *url)
{
	struct et_error err = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (et_task_probe(url, out, &err)) /* closes out */
		tap_bail("%s", err.what);
	return text;
}

static void test_own(void)
{
	ET_AUTO_FREE char *text = own_probe(NULL);
	struct et_node_probe p = { 0 };
	struct et_error err = { 0 };

	ok(et_probe_read(text, strlen(text), &p, &err) == 0, "probe: the own probe can be read");
	ok(p.machine && p.machine[0] && p.host.name[0] && p.host.cpus > 0,
		"probe: it has an identity, a name and CPUs");
	is_str(p.version, ET_VERSION, "probe: it has the version");
	ok(p.n_factors > 10 && p.schema > 0, "probe: it has the environment and the schema");
	ok(!p.asked_store && !p.has_store_clock, "probe: no store was asked");
	et_probe_free(&p);

	ET_AUTO_FREE char *with = own_probe("sqlite:/nonexistent/folder/store.db");
	p = (struct et_node_probe){ 0 };
	ok(et_probe_read(with, strlen(with), &p, &err) == 0 && p.asked_store && !p.reached_store &&
			p.store_error,
		"probe: a store that cannot be reached is reported with the reason");
	et_probe_free(&p);
}

/* --- probes of others --- */

static const char *const hostile[] = {
	"",
	"[]",
	"null",
	"{}",
	"etalon: unknown command 'task'\n",
	"{\"etalon_probe\":1}",
	"{\"etalon_probe\":2,\"machine\":\"m\",\"version\":\"1\",\"schema\":1,\"wall_ns\":1}",
	"{\"etalon_probe\":1,\"machine\":\"\",\"version\":\"1\",\"schema\":1,\"wall_ns\":1}",
	"{\"etalon_probe\":1,\"machine\":\"m\",\"version\":\"1\",\"schema\":1,\"wall_ns\":-1}",
	"{\"etalon_probe\":1,\"machine\":\"m\",\"version\":\"1\",\"schema\":1,"
	"\"wall_ns\":9223372036854775807}",
	"{\"etalon_probe\":1,\"machine\":[\"m\"],\"version\":\"1\",\"schema\":1,\"wall_ns\":1}",
	NULL,
};

static void test_hostile(void)
{
	struct et_error err = { 0 };

	for (const char *const *h = hostile; *h; h++) {
		struct et_node_probe p = { 0 };
		ok(et_probe_read(*h, strlen(*h), &p, &err) == -EPROTO &&
				err.exit == ET_EXIT_OUTSIDE && !p.machine,
			"probe: refuses %s", **h ? *h : "an empty answer");
	}
	const char *odd = "{\"etalon_probe\":1,\"machine\":\"m\",\"version\":\"1\",\"schema\":1,"
			  "\"wall_ns\":1,\"host\":{\"cpus\":-3,\"name\":7},\"environment\":[1,"
			  "{\"factor\":2}],\"store\":{\"clock_offset_ns\":-9223372036854775808,"
			  "\"clock_doubt_ns\":-1}}";
	struct et_node_probe p = { 0 };
	ok(et_probe_read(odd, strlen(odd), &p, &err) == 0 && p.n_factors == 1 && !p.has_store_clock,
		"probe: values out of range are unknown");
	et_probe_free(&p);
}

/* --- judgements --- */

#define SECOND UINT64_C(1000000000)

enum { NODES = 4 };
static struct et_factor factors[NODES][2];

/* Four nodes that agree in everything: the first three have the state "2", see `aslr`. */
static void make(struct et_node_probe *probes)
{
	static const char *const names[NODES] = { "n1", "n2", "n3", "n4" };
	static const char *const ids[NODES] = { "a", "b", "c", "d" };

	for (size_t i = 0; i < NODES; i++) {
		factors[i][0] =
			(struct et_factor){ (char *)"aslr", (char *)"2", (char *)"0", false };
		factors[i][1] = (struct et_factor){ (char *)"load", (char *)names[i] /* differs */,
			(char *)"below 0.1", true };
		probes[i] = (struct et_node_probe){ .node = (char *)names[i],
			.machine = (char *)ids[i],
			.version = (char *)"1.2.3",
			.schema = 14,
			.sent_wall_ns = 1000 * SECOND,
			.got_wall_ns = 1001 * SECOND,
			.wall_ns = 1000 * SECOND + SECOND / 2,
			.factors = factors[i],
			.n_factors = 2 };
		strcpy(probes[i].host.kernel, "6.1");
		probes[i].host.cpus = 8;
	}
}

static struct et_preflight judged;

static void judge(const struct et_node_probe *probes)
{
	et_preflight_free(&judged);
	et_preflight_judge(probes, NODES, "1.2.3", 14, &judged);
}

static const char *text_at(size_t i)
{
	return i < judged.n_findings ? judged.findings[i].text : "";
}

static void test_agreement(void)
{
	struct et_node_probe p[NODES];

	make(p);
	judge(p);
	ok(judged.rc == 0 && judged.n_findings == 0 && judged.n_differences == 0 &&
			judged.n_answered == NODES,
		"preflight: machines that agree get no remark");
}

static void test_silent(void)
{
	struct et_node_probe p[NODES];

	make(p);
	p[1].rc = -EAGAIN;
	judge(p);
	ok(judged.rc == 0 && judged.n_findings == 1 &&
			judged.findings[0].kind == ET_PREFLIGHT_NOTE && strstr(text_at(0), "n2"),
		"preflight: a busy node is skipped with a note");
	p[2].rc = -ENOENT;
	judge(p);
	ok(judged.rc == -ENOENT && judged.err.exit == ET_EXIT_OUTSIDE &&
			strstr(judged.err.what, "n3") && strstr(judged.err.hint, "--etalon-path"),
		"preflight: a node without etalon is an error with the cure");
	make(p);
	p[0].rc = et_hint(
		&p[0].err, et_fail(&p[0].err, EHOSTUNREACH, ET_EXIT_OUTSIDE, "no route"), "cure");
	judge(p);
	ok(judged.rc == -EHOSTUNREACH && !strcmp(judged.err.what, "n1: no route") &&
			!strcmp(judged.err.hint, "cure"),
		"preflight: the reason of a node that does not answer is kept");
}

static void test_versions(void)
{
	struct et_node_probe p[NODES];

	make(p);
	p[3].version = (char *)"1.2.9";
	judge(p);
	ok(judged.rc == 0 && judged.n_findings == 1 &&
			judged.findings[0].kind == ET_PREFLIGHT_WARNING &&
			strstr(text_at(0), "n4 (1.2.9)"),
		"preflight: a version that differs in the patch is a warning");
	p[3].version = (char *)"1.20.3";
	judge(p);
	ok(judged.rc && judged.err.exit == ET_EXIT_OUTSIDE && strstr(judged.err.what, "1.20.3"),
		"preflight: another minor version is an error");
	p[3].version = (char *)"1.2.3";
	p[3].schema = 15;
	judge(p);
	ok(judged.rc && strstr(judged.err.what, "schema 15"),
		"preflight: another schema is an error");
}

static void test_clocks(void)
{
	struct et_node_probe p[NODES];

	/* n2 is ahead by 3.5 s of the end of its round trip and by 4.5 s of its beginning. */
	make(p);
	p[1].wall_ns = 1004 * SECOND + SECOND / 2;
	judge(p);
	ok(judged.rc == -ETIME && judged.err.exit == ET_EXIT_OUTSIDE &&
			strstr(judged.err.what,
				"n2 is 4.00 s ahead of the clock of this machine") &&
			strstr(judged.err.what, "0.50 s") && strstr(judged.err.hint, "NTP"),
		"preflight: a clock that is ahead is an error with difference and doubt");
	/* n2 is ahead by 1.5 to 2.5 s and n3 slow by as much: 3 to 5 s are between them. */
	p[1].wall_ns = 1002 * SECOND + SECOND / 2;
	p[2].wall_ns = 998 * SECOND + SECOND / 2;
	judge(p);
	ok(judged.rc == -ETIME && strstr(judged.err.what, "n2 is 4.00 s ahead of the clock of n3"),
		"preflight: two nodes are compared with each other");
	/* The same difference may be an effect of a slow answer. */
	p[1].got_wall_ns = p[2].got_wall_ns = 1004 * SECOND;
	judge(p);
	ok(judged.rc == 0, "preflight: a slow answer proves no difference of clocks");
	/* By the server, the difference is known to a millisecond. */
	for (int i = 1; i < 3; i++) {
		p[i].has_store_clock = true;
		p[i].store_offset_ns = i == 1 ? 1500000000 : -1500000000;
		p[i].store_doubt_ns = 1000000;
	}
	judge(p);
	ok(judged.rc == -ETIME && strstr(judged.err.what, "n2 is 3.00 s ahead of the clock of n3"),
		"preflight: the clock of the server decides between two nodes");
	p[1].store_offset_ns = 490000000;
	judge(p);
	ok(judged.rc == 0, "preflight: clocks that differ by less than two seconds agree");
}

static void test_identities(void)
{
	struct et_node_probe p[NODES];

	make(p);
	p[3].machine = p[1].machine;
	judge(p);
	ok(judged.rc == 0 && judged.n_findings == 1 && strstr(text_at(0), "n2, n4 have") &&
			strstr(judged.findings[0].cure, "ETALON_MACHINE"),
		"preflight: two nodes with one identity are a warning with the cure");
	make(p);
	p[2].asked_store = true;
	p[2].store_error = (char *)"connection refused";
	judge(p);
	ok(judged.rc == 0 && judged.n_findings == 1 && strstr(text_at(0), "n3") &&
			strstr(text_at(0), "connection refused") &&
			strstr(judged.findings[0].cure, "etalon sync"),
		"preflight: a node that cannot reach the store is a warning");
}

static void test_differences(void)
{
	struct et_node_probe p[NODES];
	char *text = NULL;
	size_t size;

	make(p);
	factors[2][0].state = (char *)"0";
	p[3].host.cpus = 4;
	judge(p);
	ok(judged.n_differences == 2,
		"preflight: two factors differ; a figure such as load does not");
	is_str(judged.differences[0].factor, "CPUs", "preflight: the number of CPUs is compared");
	is_str(judged.differences[1].usual, "2", "preflight: the value on most machines is found");
	is_str(judged.differences[1].others, "n3: 0",
		"preflight: the machine that differs is named");
	struct et_page page = { .out = open_memstream(&text, &size), .width = 80 };
	et_preflight_print(&judged, &page);
	fclose(page.out);
	ok(strstr(text, "aslr") && strstr(text, "2 (n3: 0)"),
		"preflight: the table shows factor, usual value and machines");
	free(text);
}

int main(void)
{
	test_own();
	test_hostile();
	test_agreement();
	test_silent();
	test_versions();
	test_clocks();
	test_identities();
	test_differences();
	et_preflight_free(&judged);
	return tap_done();
}
