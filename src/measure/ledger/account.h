/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pure half of the ledger: closes the kernel's account and enters it into a sample. */
#pragma once

#include "measure/ledger/record.h"
#include "model/sample/sample.h"

struct et_account {
	struct et_slot slot;
	struct et_ledger_cpu home; /* the task that has the home CPU when the account is closed */
	int32_t etalon;
	bool has_hidden;     /* the source reads the kernel's clocks, so steal is known exactly */
	bool has_interrupts; /* the source sees them */
	bool has_wakeups;    /* likewise */
	struct et_account_entry {
		int32_t pid; /* of a process */
		struct et_culprit_account by;
	} * list;
	size_t n, cap;
};

void et_account_add(struct et_account *a, int32_t pid, const struct et_culprit_account *by);
/* Closes the account at the end of the window and enters it; number is that of the slot. */
void et_account_settle(struct et_account *a, int32_t number, struct et_sample *s);
void et_account_free(struct et_account *a);
