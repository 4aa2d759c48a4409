/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Macros for the rows of results. `type` is the tag of a struct; the kind of a row follows from the
 * type of the member. Options may follow as designated members, like .scale = 100. Example:
 *
 *	ET_FIELDS(kbest_fields, ET_KEYS(et_kbest_result, k, epsilon, n),
 *		ET_KEY(et_kbest_result, "best_ns", best),
 *		ET_KEYS(et_kbest_result, spread, error, converged));
 */
#pragma once

#include "model/experiment/field.h"

#define ET_MEMBER(type, member) (((struct type *)0)->member)
/* A pointer, because a char [] would decay; an enum is an unsigned int. */
#define ET_KIND_OF(type, member)                                                                   \
	_Generic(&ET_MEMBER(type, member), double *                                                \
		 : ET_FIELD_DOUBLE, bool *                                                         \
		 : ET_FIELD_BOOL, unsigned long *                                                  \
		 : ET_FIELD_U64, long *                                                            \
		 : ET_FIELD_I64, unsigned *                                                        \
		 : ET_FIELD_U32, int *                                                             \
		 : ET_FIELD_I32, char **                                                           \
		 : ET_FIELD_STRING, const char **                                                  \
		 : ET_FIELD_STRING, default                                                        \
		 : ET_FIELD_CHARS)
#define ET_AT(type, member) .offset = offsetof(struct type, member)
/* The offset of a member that must be a size_t. */
#define ET_COUNT_AT(type, n)                                                                       \
	(offsetof(struct type, n) +                                                                \
		0 * sizeof(char[sizeof(ET_MEMBER(type, n)) == sizeof(size_t) ? 1 : -1]))

/* A table of this file. */
#define ET_FIELDS(name, ...) static const struct et_field name[] = { __VA_ARGS__, { 0 } }
/* A small table in place; those that are larger, or used twice, have a name. At file level only. */
#define ET_TABLE(...) ((const struct et_field[]){ __VA_ARGS__, { 0 } })

/* One member with its key. */
#define ET_KEY(type, key, member, ...)                                                             \
	{                                                                                          \
		.name = key, .kind = ET_KIND_OF(type, member), ET_AT(type, member), ##__VA_ARGS__  \
	}
/* Members whose key is their name, at most 12; the second adds "_ns", the third the unit. */
#define ET_KEYS(type, ...) ET_EACH(ET_KEY_SAME, type, __VA_ARGS__)
#define ET_KEYS_NS(type, ...) ET_EACH(ET_KEY_NS, type, __VA_ARGS__)
#define ET_KEYS_IN_UNIT(type, ...) ET_EACH(ET_KEY_IN_UNIT, type, __VA_ARGS__)
/* The same; null if the number is not above 0, or the text empty. */
#define ET_KEYS_GIVEN(type, ...) ET_EACH(ET_KEY_GIVEN, type, __VA_ARGS__)
/* An enum, written by its name; a bool has the names of false and true. */
#define ET_KEY_NAME(type, key, member, list, ...)                                                  \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_ENUM, ET_AT(type, member), .names = list,            \
		##__VA_ARGS__                                                                      \
	}
#define ET_KEY_WORD(type, key, member, no, yes, ...)                                               \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_BOOL, ET_AT(type, member),                           \
		.names = (const char *const[]){ no, yes }, ##__VA_ARGS__                           \
	}
/* Two doubles: [lo, hi]. */
#define ET_KEY_SPAN(type, key, lo, hi, ...)                                                        \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_SPAN, ET_AT(type, lo),                               \
		.upper = offsetof(struct type, hi), ##__VA_ARGS__                                  \
	}
/* A struct in the struct, with a table of its own; of the flat one everything is on one line. */
#define ET_KEY_OBJECT(type, key, member, table, ...)                                               \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_OBJECT, ET_AT(type, member), .fields = table,        \
		##__VA_ARGS__                                                                      \
	}
#define ET_KEY_FLAT(...) ET_KEY_OBJECT(__VA_ARGS__, .flat = true)
/* Members of the same struct that form an object of their own. */
#define ET_KEY_GROUP(key, table, ...)                                                              \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_OBJECT, .fields = table, ##__VA_ARGS__               \
	}
/* Rows of another table in the same object: of a member, or of the same struct. */
#define ET_KEYS_OF(type, member, table, ...) ET_KEY_OBJECT(type, "", member, table, ##__VA_ARGS__)
#define ET_KEYS_IN(table, ...) ET_KEY_GROUP("", table, ##__VA_ARGS__)
/* An array that `member` points to, of structs with a table, or of numbers or texts. */
#define ET_KEY_LIST(type, key, member, n, table, ...)                                              \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_LIST, ET_AT(type, member),                           \
		.size = sizeof(*ET_MEMBER(type, member)), .count = ET_COUNT_AT(type, n),           \
		.fields = table, ##__VA_ARGS__                                                     \
	}
#define ET_KEY_VALUES(type, key, member, n, ...)                                                   \
	ET_KEY_LIST(                                                                               \
		type, key, member, n, NULL, .element = ET_KIND_OF(type, member[0]), ##__VA_ARGS__)
/* The same number or text of each of the structs, which have the tag `of`. */
#define ET_KEY_COLUMN(type, key, list, n, of, member, ...)                                         \
	ET_KEY_LIST(type, key, list, n, NULL, .element = ET_KIND_OF(of, member),                   \
		.inner = offsetof(struct of, member), ##__VA_ARGS__)
/* An array inside the struct, of which n elements are used. */
#define ET_KEY_ROOM(type, key, member, n, table, ...)                                              \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_ARRAY, ET_AT(type, member),                          \
		.size = sizeof(ET_MEMBER(type, member)[0]), .count = ET_COUNT_AT(type, n),         \
		.fields = table, ##__VA_ARGS__                                                     \
	}
/* All elements of an array inside the struct. */
#define ET_KEY_ARRAY(type, key, member, table, ...)                                                \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_ARRAY, ET_AT(type, member),                          \
		.size = sizeof(ET_MEMBER(type, member)[0]),                                        \
		.length = ET_LENGTH(ET_MEMBER(type, member)), .fields = table, ##__VA_ARGS__       \
	}
/* A double that a function computes; a member, or the whole struct, that a function writes. */
#define ET_KEY_OF(key, function, ...)                                                              \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_DOUBLE, .of = function, ##__VA_ARGS__                \
	}
#define ET_KEY_BY(type, key, member, function, ...)                                                \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_MADE, ET_AT(type, member), .write = function,        \
		##__VA_ARGS__                                                                      \
	}
#define ET_KEY_MADE(key, function, ...)                                                            \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_MADE, .write = function, ##__VA_ARGS__               \
	}
/* Option of a row: it is null unless this member is above 0, true, or not empty. */
#define ET_GIVEN(type, member)                                                                     \
	.given = { true, ET_KIND_OF(type, member), offsetof(struct type, member) }

#define ET_GIVEN_POINTER(type, member)                                                             \
	.given = { true, ET_FIELD_STRING, offsetof(struct type, member) }

#define ET_KEY_SAME(type, member) ET_KEY(type, #member, member)
#define ET_KEY_NS(type, member) ET_KEY(type, #member "_ns", member)
#define ET_KEY_IN_UNIT(type, member) ET_KEY(type, #member, member, .in_unit = true)
#define ET_KEY_GIVEN(type, member) ET_KEY(type, #member, member, ET_GIVEN(type, member))

#define ET_EACH(row, type, ...)                                                                    \
	ET_EACH_PICK(__VA_ARGS__, ET_EACH_12, ET_EACH_11, ET_EACH_10, ET_EACH_9, ET_EACH_8,        \
		ET_EACH_7, ET_EACH_6, ET_EACH_5, ET_EACH_4, ET_EACH_3, ET_EACH_2, ET_EACH_1)       \
	(row, type, __VA_ARGS__)
#define ET_EACH_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, ...) m
#define ET_EACH_1(row, type, a) row(type, a)
#define ET_EACH_2(row, type, a, ...) row(type, a), ET_EACH_1(row, type, __VA_ARGS__)
#define ET_EACH_3(row, type, a, ...) row(type, a), ET_EACH_2(row, type, __VA_ARGS__)
#define ET_EACH_4(row, type, a, ...) row(type, a), ET_EACH_3(row, type, __VA_ARGS__)
#define ET_EACH_5(row, type, a, ...) row(type, a), ET_EACH_4(row, type, __VA_ARGS__)
#define ET_EACH_6(row, type, a, ...) row(type, a), ET_EACH_5(row, type, __VA_ARGS__)
#define ET_EACH_7(row, type, a, ...) row(type, a), ET_EACH_6(row, type, __VA_ARGS__)
#define ET_EACH_8(row, type, a, ...) row(type, a), ET_EACH_7(row, type, __VA_ARGS__)
#define ET_EACH_9(row, type, a, ...) row(type, a), ET_EACH_8(row, type, __VA_ARGS__)
#define ET_EACH_10(row, type, a, ...) row(type, a), ET_EACH_9(row, type, __VA_ARGS__)
#define ET_EACH_11(row, type, a, ...) row(type, a), ET_EACH_10(row, type, __VA_ARGS__)
#define ET_EACH_12(row, type, a, ...) row(type, a), ET_EACH_11(row, type, __VA_ARGS__)
