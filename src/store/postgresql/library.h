/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libpq is loaded when the first store in PostgreSQL is opened. It brings twenty other libraries,
 * and linking it would cost every start of etalon 5 ms, also that of the built-in programs which
 * others measure. A function of libpq that is not listed here does not link; none that waits for
 * the server is listed (see store/postgresql/wait.c).
 */
#pragma once

#include "base/error.h"

#include <libpq-fe.h>

/* clang-format off */
#define ET_PQ_FUNCTIONS(X) \
	X(PQclear) X(PQcmdStatus) X(PQcmdTuples) X(PQconnectPoll) X(PQconnectStartParams) \
	X(PQconnectionNeedsPassword) X(PQconninfo) X(PQconninfoFree) X(PQconninfoParse) \
	X(PQconsumeInput) X(PQdb) X(PQerrorMessage) X(PQfinish) X(PQflush) X(PQfreemem) \
	X(PQftype) X(PQgetResult) X(PQgetisnull) X(PQgetlength) X(PQgetvalue) X(PQhost) \
	X(PQhostaddr) X(PQisBusy) X(PQlibVersion) X(PQnfields) X(PQnotifies) X(PQntuples) \
	X(PQparameterStatus) X(PQport) X(PQputCopyData) X(PQputCopyEnd) X(PQresultErrorField) \
	X(PQresultMemorySize) X(PQresultStatus) X(PQsendPrepare) X(PQsendQuery) \
	X(PQsendQueryParams) X(PQsendQueryPrepared) X(PQserverVersion) X(PQsetErrorVerbosity) \
	X(PQsetNoticeProcessor) X(PQsetnonblocking) X(PQsocket) X(PQstatus) \
	X(PQtransactionStatus) X(PQuser)
/* clang-format on */

#define ET_PQ_MEMBER(function) __typeof__(function) *function;
struct et_pq {
	ET_PQ_FUNCTIONS(ET_PQ_MEMBER)
};
#undef ET_PQ_MEMBER

/* The functions, as the dynamic linker would have filled them in: et_pq.PQclear(result). */
extern struct et_pq et_pq;

/* Loads libpq, once. -ENOTSUP: this machine does not have it. */
int et_pq_load(struct et_error *err) ET_CHECK;
