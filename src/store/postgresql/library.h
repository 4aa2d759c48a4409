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

/* The functions, as the dynamic linker would have filled them in. */
extern struct et_pq et_pq;

/* Loads libpq, once. -ENOTSUP: this machine does not have it. */
int et_pq_load(struct et_error *err) ET_CHECK;

#ifndef ET_PQ_NAMES_ONLY
#define PQclear et_pq.PQclear
#define PQcmdStatus et_pq.PQcmdStatus
#define PQcmdTuples et_pq.PQcmdTuples
#define PQconnectPoll et_pq.PQconnectPoll
#define PQconnectStartParams et_pq.PQconnectStartParams
#define PQconnectionNeedsPassword et_pq.PQconnectionNeedsPassword
#define PQconninfo et_pq.PQconninfo
#define PQconninfoFree et_pq.PQconninfoFree
#define PQconninfoParse et_pq.PQconninfoParse
#define PQconsumeInput et_pq.PQconsumeInput
#define PQdb et_pq.PQdb
#define PQerrorMessage et_pq.PQerrorMessage
#define PQfinish et_pq.PQfinish
#define PQflush et_pq.PQflush
#define PQfreemem et_pq.PQfreemem
#define PQftype et_pq.PQftype
#define PQgetResult et_pq.PQgetResult
#define PQgetisnull et_pq.PQgetisnull
#define PQgetlength et_pq.PQgetlength
#define PQgetvalue et_pq.PQgetvalue
#define PQhost et_pq.PQhost
#define PQhostaddr et_pq.PQhostaddr
#define PQisBusy et_pq.PQisBusy
#define PQlibVersion et_pq.PQlibVersion
#define PQnfields et_pq.PQnfields
#define PQnotifies et_pq.PQnotifies
#define PQntuples et_pq.PQntuples
#define PQparameterStatus et_pq.PQparameterStatus
#define PQport et_pq.PQport
#define PQputCopyData et_pq.PQputCopyData
#define PQputCopyEnd et_pq.PQputCopyEnd
#define PQresultErrorField et_pq.PQresultErrorField
#define PQresultMemorySize et_pq.PQresultMemorySize
#define PQresultStatus et_pq.PQresultStatus
#define PQsendPrepare et_pq.PQsendPrepare
#define PQsendQuery et_pq.PQsendQuery
#define PQsendQueryParams et_pq.PQsendQueryParams
#define PQsendQueryPrepared et_pq.PQsendQueryPrepared
#define PQserverVersion et_pq.PQserverVersion
#define PQsetErrorVerbosity et_pq.PQsetErrorVerbosity
#define PQsetNoticeProcessor et_pq.PQsetNoticeProcessor
#define PQsetnonblocking et_pq.PQsetnonblocking
#define PQsocket et_pq.PQsocket
#define PQstatus et_pq.PQstatus
#define PQtransactionStatus et_pq.PQtransactionStatus
#define PQuser et_pq.PQuser
#endif
