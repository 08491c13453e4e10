// SPDX-License-Identifier: MIT
// A file system that knows what a power cut would leave: the bytes of each file
// up to its last sync, under the names that stood in the directory when the
// directory was last synced.
//
// The files themselves live in a real directory, so a database runs on it as
// ever; image() writes what would be left into another one.
// Threads: every call from any thread.
#pragma once

#include <rocksdb/file_system.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace baton::storage {

/// What becomes of bytes and names that were never synced.
enum class unsynced {
  /// Gone.
  dropped,
  /// Half of each file's unsynced bytes are there; new names are not.
  half_kept,
  /// The file has its full length, but the blocks were never written; names
  /// are as they were last.
  zeroed,
  /// All there: a kill, not a power cut.
  kept,
};

class power_loss_fs : public rocksdb::FileSystemWrapper {
public:
  power_loss_fs();

  /// Called, under the lock that orders all writes, before and after each sync
  /// and each rename. Must not call the file system except image_locked().
  using observer = std::function<void()>;
  void observe(observer f) { observer_ = std::move(f); }

  /// Writes what is left of `dir` into the new directory `to`.
  void image(const std::string& dir, const std::string& to, unsynced how);
  void image_locked(const std::string& dir, const std::string& to,
                    unsynced how) const;
  /// Takes the files of a directory for synced, names and bytes.
  void adopt(const std::string& dir);
  /// Changes whenever image() would, so that equal images are made once.
  std::uint64_t generation_locked() const { return generation_; }

  std::size_t syncs() const { return syncs_; }

  const char* Name() const override { return "power_loss_fs"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name,
                                    const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* r,
                                    rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus
  ReopenWritableFile(const std::string& name,
                     const rocksdb::FileOptions& options,
                     std::unique_ptr<rocksdb::FSWritableFile>* r,
                     rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewDirectory(const std::string& name,
                                 const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* r,
                                 rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus DeleteFile(const std::string& name,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus Truncate(const std::string& name, std::size_t size,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* dbg) override;

private:
  friend class tracked_file;
  friend class tracked_directory;

  struct content {
    std::string bytes;
    std::size_t synced = 0;
  };
  using names = std::map<std::string, std::shared_ptr<content>>;

  static std::string tidy(const std::string& path);
  void changed();
  void sync(content& file);
  void sync_directory(const std::string& dir);

  mutable std::mutex lock_;
  observer observer_;
  /// What programs see, and what is on the disk for certain.
  names now_;
  names durable_;
  std::uint64_t generation_ = 0;
  std::size_t syncs_ = 0;
};

} // namespace baton::storage
