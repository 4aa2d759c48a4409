/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pure half of the ledger: what the kernel has summed, closed and entered into a sample. */
#ifndef ET_MEASURE_LEDGER_ACCOUNT_H
#define ET_MEASURE_LEDGER_ACCOUNT_H

#include "measure/ledger_record.h"
#include "model/sample.h"

struct et_account {
	struct et_slot slot;
	struct et_ledger_cpu home; /* who has the home CPU in the end */
	int32_t etalon;
	bool tells_hidden, tells_interrupts;
	struct et_account_entry {
		int32_t pid; /* of a process */
		struct et_culprit_account by;
	} * list;
	size_t n, cap;
};

void et_account_add(struct et_account *a, int32_t pid, const struct et_culprit_account *by);
/* Closes the account at the window's end and enters it; number is the slot's. */
void et_account_settle(struct et_account *a, int32_t number, struct et_sample *s);
void et_account_free(struct et_account *a);

#endif
