#include "shim.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include <rocksdb/options.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include "mutexes.h"

using rocksdb::Slice;
using rocksdb::Status;

struct hitm_rocksdb {
    std::unique_ptr<rocksdb::TransactionDB> database;
    // NULL with point locks.
    std::shared_ptr<rocksdb::RangeLockManagerHandle> ranges;
    rocksdb::TransactionOptions options;
};

struct hitm_rocksdb_transaction {
    hitm_rocksdb *database;
    std::unique_ptr<rocksdb::Transaction> transaction;
    rocksdb::WriteOptions write;
    rocksdb::ReadOptions read;
};

namespace {

void tell(const std::string &what, char *why, size_t room) {
    if (room > 0) {
        size_t length = std::min(what.size(), room - 1);
        std::memcpy(why, what.data(), length);
        why[length] = 0;
    }
}

int answer(const Status &status, char *why, size_t room) {
    if (status.ok()) {
        return HITM_ROCKSDB_DONE;
    }
    if (status.IsTimedOut()) {
        return HITM_ROCKSDB_TIMED_OUT;
    }
    if (status.IsDeadlock()) {
        return HITM_ROCKSDB_DEADLOCK;
    }
    tell(status.ToString(), why, room);
    return HITM_ROCKSDB_FAILED;
}

// Runs it; an exception is a failure as any other.
template <class Run> int guarded(char *why, size_t room, Run run) noexcept {
    try {
        return run();
    } catch (const std::exception &error) {
        tell(error.what(), why, room);
    } catch (...) {
        tell("an exception without a text", why, room);
    }
    return HITM_ROCKSDB_FAILED;
}

// A key as MyRocks has it: the index's number, then the row's, in the order of their bytes.
struct Key {
    char bytes[12];

    Key(uint32_t space, uint64_t key) {
        for (int byte = 0; byte < 4; byte++) {
            bytes[byte] = static_cast<char>(space >> (24 - 8 * byte));
        }
        for (int byte = 0; byte < 8; byte++) {
            bytes[4 + byte] = static_cast<char>(key >> (56 - 8 * byte));
        }
    }

    Slice slice() const { return Slice(bytes, sizeof bytes); }
};

// Counts the waits of one call.
template <class Lock>
int locked(hitm_rocksdb_transaction *transaction, int64_t timeout_ms, hitm_rocksdb_waits *waits, char *why, size_t room, Lock lock) {
    return guarded(why, room, [&] {
        auto &counted = hitm::waits_of_this_thread();
        auto before = counted;
        transaction->transaction->SetLockTimeout(timeout_ms);
        Status status = lock();
        waits->waits = counted.waits - before.waits;
        waits->wake_ups = counted.wake_ups - before.wake_ups;
        return answer(status, why, room);
    });
}

} // namespace

extern "C" {

hitm_rocksdb *hitm_rocksdb_open(const char *folder, int ranges, int detect, char *why, size_t room) {
    hitm_rocksdb *opened = nullptr;
    guarded(why, room, [&] {
        auto database = std::make_unique<hitm_rocksdb>();
        auto mutexes = std::make_shared<hitm::MutexFactory>();
        rocksdb::TransactionDBOptions locks;
        if (ranges) {
            database->ranges.reset(rocksdb::NewRangeLockManager(mutexes));
            locks.lock_mgr_handle = database->ranges;
        } else {
            locks.custom_mutex_factory = mutexes;
        }
        rocksdb::Options options;
        options.create_if_missing = true;
        options.error_if_exists = true;
        // Nothing of its own goes on beside the transactions, and it keeps no diary.
        options.stats_dump_period_sec = 0;
        options.stats_persist_period_sec = 0;
        options.info_log_level = rocksdb::InfoLogLevel::FATAL_LEVEL;
        database->options.deadlock_detect = detect != 0;
        rocksdb::TransactionDB *handle = nullptr;
        Status status = rocksdb::TransactionDB::Open(options, locks, folder, &handle);
        if (!status.ok()) {
            tell(status.ToString(), why, room);
            return static_cast<int>(HITM_ROCKSDB_FAILED);
        }
        database->database.reset(handle);
        opened = database.release();
        return static_cast<int>(HITM_ROCKSDB_DONE);
    });
    return opened;
}

void hitm_rocksdb_close(hitm_rocksdb *database) {
    guarded(nullptr, 0, [&] {
        // The lock tree ends the process where its account of memory is not 0 in the end. Release 7.8.3 loses count where a transaction
        // shares a key again that another shares too: such a tree is never ended.
        if (database->ranges && database->ranges->GetStatus().current_lock_memory != 0) {
            new std::shared_ptr<rocksdb::RangeLockManagerHandle>(database->ranges);
        }
        delete database;
        return 0;
    });
}

size_t hitm_rocksdb_held(hitm_rocksdb *database) {
    size_t held = SIZE_MAX;
    guarded(nullptr, 0, [&] {
        held = database->ranges ? database->ranges->GetRangeLockStatusData().size() : database->database->GetLockStatusData().size();
        return 0;
    });
    return held;
}

hitm_rocksdb_transaction *hitm_rocksdb_new_transaction(hitm_rocksdb *database) {
    auto *transaction = new (std::nothrow) hitm_rocksdb_transaction;
    if (transaction != nullptr) {
        transaction->database = database;
    }
    return transaction;
}

void hitm_rocksdb_free_transaction(hitm_rocksdb_transaction *transaction) {
    guarded(nullptr, 0, [&] {
        delete transaction;
        return 0;
    });
}

int hitm_rocksdb_begin(hitm_rocksdb_transaction *transaction, char *why, size_t room) {
    return guarded(why, room, [&] {
        auto *before = transaction->transaction.release();
        auto *database = transaction->database;
        transaction->transaction.reset(database->database->BeginTransaction(transaction->write, database->options, before));
        return static_cast<int>(HITM_ROCKSDB_DONE);
    });
}

int hitm_rocksdb_lock_key(hitm_rocksdb_transaction *transaction, uint32_t space, uint64_t key, int exclusive, int64_t timeout_ms,
                          hitm_rocksdb_waits *waits, char *why, size_t room) {
    return locked(transaction, timeout_ms, waits, why, room, [&] {
        // Without a place for the value nothing is read, and without a snapshot nothing validated: only locked.
        std::string *nothing = nullptr;
        auto *family = transaction->database->database->DefaultColumnFamily();
        Key bytes(space, key);
        return transaction->transaction->GetForUpdate(transaction->read, family, bytes.slice(), nothing, exclusive != 0, false);
    });
}

int hitm_rocksdb_lock_range(hitm_rocksdb_transaction *transaction, uint32_t space, uint64_t left, uint64_t right, int64_t timeout_ms,
                            hitm_rocksdb_waits *waits, char *why, size_t room) {
    return locked(transaction, timeout_ms, waits, why, room, [&] {
        auto *family = transaction->database->database->DefaultColumnFamily();
        Key first(space, left), last(space, right);
        return transaction->transaction->GetRangeLock(family, rocksdb::Endpoint(first.slice()), rocksdb::Endpoint(last.slice()));
    });
}

int hitm_rocksdb_end(hitm_rocksdb_transaction *transaction, char *why, size_t room) {
    return guarded(why, room, [&] { return answer(transaction->transaction->Rollback(), why, room); });
}

} // extern "C"
