// What hitm asks of WiredTiger, as plain functions: its own are members of structures.
//
// Where one fails it writes why into `why`, cut off at `room` bytes and ended by a zero.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct hitm_wiredtiger hitm_wiredtiger;
typedef struct hitm_wiredtiger_reader hitm_wiredtiger_reader;

// Opens a new database in an empty folder, loads rows 1 to `rows` in their order, and reads them all once, so that they are cached.
// NULL if it cannot be. `sessions`: how many readers there can be at once, at most.
hitm_wiredtiger *hitm_wiredtiger_open(const char *folder, uint64_t rows, uint32_t cache_mib, uint32_t sessions, char *why, size_t room);

// Closes it. Its readers must have been closed.
void hitm_wiredtiger_close(hitm_wiredtiger *database);

// A worker's session and cursor, for its own thread; NULL if there is none.
hitm_wiredtiger_reader *hitm_wiredtiger_open_reader(hitm_wiredtiger *database, char *why, size_t room);

void hitm_wiredtiger_close_reader(hitm_wiredtiger_reader *reader);

// Looks up a row and tells the number in its value, which must be the row's own. 0 if it was found.
int hitm_wiredtiger_read(hitm_wiredtiger_reader *reader, uint64_t row, uint64_t *value, char *why, size_t room);
