/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/server.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/signals.h"

#include <stdlib.h>

unsigned et_server_limit_s(void)
{
	const char *text = getenv("ETALON_SERVER_LIMIT");
	uint64_t seconds = 0;

	if (text && et_parse_u64("ETALON_SERVER_LIMIT", text, 1, 86400, &seconds, NULL))
		return 0;
	return (unsigned)seconds;
}

int et_server_open(
	const char *url, enum et_store_mode mode, struct et_store **out, struct et_error *err)
{
	struct et_patience patience = { et_server_limit_s(), et_signals_received };

	return et_store_open_within(url, mode, &patience, out, err);
}

char *et_server_option(const struct et_cli *cli)
{
	char **words = et_strv_of("--store", cli->store, NULL);
	ET_AUTO_FREE char *line = et_join_words(words);

	et_strv_free(words);
	return cli->store ? et_asprintf(" %s", line) : et_strdup("");
}

char *et_server_cure_missing(const struct et_cli *cli, const char *shown)
{
	ET_AUTO_FREE char *option = et_server_option(cli);

	if (et_store_url_is_server(shown))
		return et_asprintf("prepare the database: etalon sync --setup --store '%s'", shown);
	return et_asprintf("measure a program: etalon run%s 'sleep 0.1'", option);
}
