/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of the command line that decides about stored data (session/trust.h). */
#pragma once

#include "cli/cli.h"
#include "session/trust.h"

/* The path of the list of what this user began here. */
const char *et_trusted_list(void);
/* The decision about the store that the user means; given is --trust-record. It reviews on stderr.
 */
struct et_trust et_trusted(const struct et_cli *cli, bool given);
