// What hitm asks of RocksDB's transactions, as C.
//
// No exception leaves a function. Where one fails it writes why into `why`, cut off at `room` bytes and ended by a zero.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hitm_rocksdb hitm_rocksdb;
typedef struct hitm_rocksdb_transaction hitm_rocksdb_transaction;

enum hitm_rocksdb_answer {
    HITM_ROCKSDB_DONE = 0,
    HITM_ROCKSDB_TIMED_OUT = 1,
    HITM_ROCKSDB_DEADLOCK = 2,
    HITM_ROCKSDB_FAILED = 3,
};

// How often a call went to sleep, and how often it was woken before its time was over.
typedef struct {
    uint64_t waits;
    uint64_t wake_ups;
} hitm_rocksdb_waits;

// Opens a new database in a folder, with range locks or with point locks; NULL if it cannot be. `detect`: whether transactions look
// for deadlocks; range locks always do.
hitm_rocksdb *hitm_rocksdb_open(const char *folder, int ranges, int detect, char *why, size_t room);

// Closes it. Its transactions must have been freed.
void hitm_rocksdb_close(hitm_rocksdb *database);

// Locks held by all transactions; SIZE_MAX if that cannot be told.
size_t hitm_rocksdb_held(hitm_rocksdb *database);

// A worker's transactions, one after the other; NULL if there is no memory. For one thread at a time.
hitm_rocksdb_transaction *hitm_rocksdb_new_transaction(hitm_rocksdb *database);

// Lets go what it holds, and frees it.
void hitm_rocksdb_free_transaction(hitm_rocksdb_transaction *transaction);

// Begins one.
int hitm_rocksdb_begin(hitm_rocksdb_transaction *transaction, char *why, size_t room);

// Locks one key of a space, waiting at the longest so many milliseconds; 0 is not at all.
int hitm_rocksdb_lock_key(hitm_rocksdb_transaction *transaction, uint32_t space, uint64_t key, int exclusive, int64_t timeout_ms,
                          hitm_rocksdb_waits *waits, char *why, size_t room);

// Locks all keys from left to right, both too, exclusively.
int hitm_rocksdb_lock_range(hitm_rocksdb_transaction *transaction, uint32_t space, uint64_t left, uint64_t right, int64_t timeout_ms,
                            hitm_rocksdb_waits *waits, char *why, size_t room);

// Ends it and lets go what it holds.
int hitm_rocksdb_end(hitm_rocksdb_transaction *transaction, char *why, size_t room);

#ifdef __cplusplus
}
#endif
