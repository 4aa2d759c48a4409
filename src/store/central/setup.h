/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prepares a central store for many users. */
#pragma once

#include "store/core/store.h"

/*
 * Makes the roles etalon_read, etalon_add and etalon_edit, and the rules about who may change which
 * rows; it may be called again. The store was opened with ET_STORE_SETUP by the owner of the
 * database. *have_roles is false if the user may not create roles: an administrator has to execute
 * et_setup_roles first, and then this is to be called again.
 */
int et_store_setup(struct et_store *s, bool *have_roles, struct et_error *err) ET_CHECK;

extern const char et_setup_roles[];
