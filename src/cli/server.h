/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens stores that may be on a server, which a command waits for a limited time. */
#pragma once

#include "store/core/store.h"

/* How long a server may be silent, in seconds: ETALON_SERVER_LIMIT; 0: the store's default. */
unsigned et_server_limit_s(void);
/* As et_store_open; if etalon handles signals, they end the waiting for a server. */
int et_server_open(const char *url, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;
struct et_cli;
/* " --store x.db" if it was given: without it a command uses another store. Caller frees. */
char *et_server_option(const struct et_cli *cli) ET_CHECK;
/* What to do about a store that does not exist yet, by its URL without passwords. Caller frees. */
char *et_server_cure_missing(const struct et_cli *cli, const char *shown) ET_CHECK;
