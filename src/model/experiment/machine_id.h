/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The identity of a machine, as a text. It has one of three forms:
 *
 *   NAME          what the administrator chose: ETALON_MACHINE, or /etc/etalon/machine
 *   DIGEST        16 hexadecimal digits, of the machine-id: a host keeps it when it is renamed
 *   HOST DIGEST   of a container, which may share the machine-id with others, and of a host without
 *                 a machine-id; earlier versions wrote this form for every machine
 *
 * The longest has 64 + 1 + 16 characters; records have room for 96.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { ET_MACHINE_SIZE = 96, ET_MACHINE_MOST_NAME = 64 };

/* Whether a name may be chosen: 1 to 64 letters, digits, '.', '_' and '-', not first a sign. */
bool et_machine_name_valid(const char *name);
/* Whether a text, which may be hostile, has one of the three forms. */
bool et_machine_id_valid(const char *id);
/* Whether an identity is of the form DIGEST. */
bool et_machine_is_digest(const char *id);
/* Returns the digest at the end of HOST DIGEST; NULL: it has another form. */
const char *et_machine_old_digest(const char *id);
/*
 * Whether two identities are those of one machine: they are equal, or one is the digest in the
 * other, which an earlier version wrote. "" is no machine's.
 */
bool et_machine_same(const char *a, const char *b);
/* The name that people know a machine by. host is the name of its host, or "". */
void et_machine_label(const char *id, const char *host, char *out, size_t size);
