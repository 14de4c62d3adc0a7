// Mutexes and condition variables for RocksDB's lock managers: as its own are (std::mutex, std::condition_variable, whose mutex ignores
// timeouts), and besides each thread counts how often it waits. Nothing is written that another thread reads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include <rocksdb/status.h>
#include <rocksdb/utilities/transaction_db_mutex.h>

namespace hitm {

struct Waits {
    uint64_t waits = 0;
    uint64_t wake_ups = 0;
};

inline Waits &waits_of_this_thread() {
    static thread_local Waits waits;
    return waits;
}

class Mutex : public rocksdb::TransactionDBMutex {
  public:
    rocksdb::Status Lock() override {
        mutex.lock();
        return rocksdb::Status::OK();
    }

    rocksdb::Status TryLockFor(int64_t timeout_us) override {
        // A timeout of nothing is a try; a longer one the default ignores too.
        if (timeout_us != 0) {
            mutex.lock();
            return rocksdb::Status::OK();
        }
        return mutex.try_lock() ? rocksdb::Status::OK() : rocksdb::Status::TimedOut(rocksdb::Status::SubCode::kMutexTimeout);
    }

    void UnLock() override { mutex.unlock(); }

    std::mutex mutex;
};

class CondVar : public rocksdb::TransactionDBCondVar {
  public:
    rocksdb::Status Wait(std::shared_ptr<rocksdb::TransactionDBMutex> mutex) override {
        auto &counted = waits_of_this_thread();
        counted.waits += 1;
        std::unique_lock<std::mutex> held(static_cast<Mutex *>(mutex.get())->mutex, std::adopt_lock);
        changed.wait(held);
        held.release();
        counted.wake_ups += 1;
        return rocksdb::Status::OK();
    }

    rocksdb::Status WaitFor(std::shared_ptr<rocksdb::TransactionDBMutex> mutex, int64_t timeout_us) override {
        if (timeout_us < 0) {
            return Wait(mutex);
        }
        auto &counted = waits_of_this_thread();
        counted.waits += 1;
        std::unique_lock<std::mutex> held(static_cast<Mutex *>(mutex.get())->mutex, std::adopt_lock);
        auto status = changed.wait_for(held, std::chrono::microseconds(timeout_us));
        held.release();
        if (status == std::cv_status::timeout) {
            return rocksdb::Status::TimedOut(rocksdb::Status::SubCode::kMutexTimeout);
        }
        counted.wake_ups += 1;
        return rocksdb::Status::OK();
    }

    void Notify() override { changed.notify_one(); }

    void NotifyAll() override { changed.notify_all(); }

  private:
    std::condition_variable changed;
};

class MutexFactory : public rocksdb::TransactionDBMutexFactory {
  public:
    std::shared_ptr<rocksdb::TransactionDBMutex> AllocateMutex() override { return std::make_shared<Mutex>(); }
    std::shared_ptr<rocksdb::TransactionDBCondVar> AllocateCondVar() override { return std::make_shared<CondVar>(); }
};

} // namespace hitm
