// SPDX-License-Identifier: MIT
#include "storage/power_loss_fs.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace baton::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

/// Mirrors what is written to the real file.
class tracked_file : public rocksdb::FSWritableFileWrapper {
public:
  tracked_file(power_loss_fs& fs, std::shared_ptr<power_loss_fs::content> c,
               std::unique_ptr<rocksdb::FSWritableFile> real)
    : FSWritableFileWrapper(real.get()),
      fs_(fs),
      content_(std::move(c)),
      real_(std::move(real)) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* dbg) override {
    std::scoped_lock guard{fs_.lock_};
    auto done = target()->Append(data, options, dbg);
    if (done.ok())
      content_->bytes.append(data.data(), data.size());
    fs_.changed();
    return done;
  }

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo&,
                  IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }

  IOStatus Truncate(uint64_t size, const IOOptions& options,
                    IODebugContext* dbg) override {
    std::scoped_lock guard{fs_.lock_};
    content_->bytes.resize(size);
    content_->synced = std::min<std::size_t>(content_->synced, size);
    fs_.changed();
    return target()->Truncate(size, options, dbg);
  }

  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return durable(target()->Flush(options, dbg));
  }

  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return durable(target()->Flush(options, dbg));
  }

  /// Only speed on a real disk.
  IOStatus Allocate(uint64_t, uint64_t, const IOOptions&,
                    IODebugContext*) override {
    return IOStatus::OK();
  }

  /// No promise: it does not sync metadata.
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&,
                     IODebugContext*) override {
    return IOStatus::OK();
  }

private:
  /// The machine under the test does not lose power, so nothing has to reach
  /// its disk: the mirror is what counts.
  IOStatus durable(IOStatus flushed) {
    std::scoped_lock guard{fs_.lock_};
    if (flushed.ok())
      fs_.sync(*content_);
    return flushed;
  }

  power_loss_fs& fs_;
  std::shared_ptr<power_loss_fs::content> content_;
  std::unique_ptr<rocksdb::FSWritableFile> real_;
};

class tracked_directory : public rocksdb::FSDirectoryWrapper {
public:
  tracked_directory(power_loss_fs& fs, std::string name,
                    std::unique_ptr<rocksdb::FSDirectory> real)
    : FSDirectoryWrapper(std::move(real)), fs_(fs), name_(std::move(name)) {}

  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    std::scoped_lock guard{fs_.lock_};
    fs_.sync_directory(name_);
    return IOStatus::OK();
  }

  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                               const rocksdb::DirFsyncOptions&) override {
    return Fsync(options, dbg);
  }

private:
  power_loss_fs& fs_;
  std::string name_;
};

power_loss_fs::power_loss_fs()
  : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

std::string power_loss_fs::tidy(const std::string& path) {
  auto out = std::filesystem::path{path}.lexically_normal().string();
  if (out.size() > 1 && out.back() == '/')
    out.pop_back();
  return out;
}

void power_loss_fs::changed() {
  ++generation_;
}

void power_loss_fs::sync(content& file) {
  if (observer_)
    observer_();
  file.synced = file.bytes.size();
  ++syncs_;
  changed();
  if (observer_)
    observer_();
}

void power_loss_fs::sync_directory(const std::string& dir) {
  if (observer_)
    observer_();
  auto inside = [&](const std::string& name) {
    return std::filesystem::path{name}.parent_path() == dir;
  };
  std::erase_if(durable_, [&](auto& x) { return inside(x.first); });
  for (const auto& [name, file] : now_)
    if (inside(name))
      durable_[name] = file;
  ++syncs_;
  changed();
  if (observer_)
    observer_();
}

void power_loss_fs::image(const std::string& dir, const std::string& to,
                          unsynced how) {
  std::scoped_lock guard{lock_};
  image_locked(dir, to, how);
}

void power_loss_fs::image_locked(const std::string& dir, const std::string& to,
                                 unsynced how) const {
  std::filesystem::create_directories(to);
  auto last_names = how == unsynced::kept || how == unsynced::zeroed;
  for (const auto& [name, file] : last_names ? now_ : durable_) {
    if (std::filesystem::path{name}.parent_path() != tidy(dir))
      continue;
    auto length = file->synced;
    if (how == unsynced::half_kept)
      length += (file->bytes.size() - file->synced) / 2;
    else if (how != unsynced::dropped)
      length = file->bytes.size();
    auto bytes = file->bytes.substr(0, length);
    if (how == unsynced::zeroed)
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(file->synced),
                bytes.end(), '\0');
    std::ofstream out{to / std::filesystem::path{name}.filename(),
                      std::ios::binary};
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

void power_loss_fs::adopt(const std::string& dir) {
  std::scoped_lock guard{lock_};
  for (const auto& x : std::filesystem::directory_iterator{dir}) {
    std::ifstream in{x.path(), std::ios::binary};
    auto file = std::make_shared<content>();
    file->bytes.assign(std::istreambuf_iterator<char>{in}, {});
    file->synced = file->bytes.size();
    now_[tidy(x.path())] = durable_[tidy(x.path())] = file;
  }
}

IOStatus power_loss_fs::NewWritableFile(
  const std::string& name, const rocksdb::FileOptions& options,
  std::unique_ptr<rocksdb::FSWritableFile>* r, IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSWritableFile> real;
  auto done = target()->NewWritableFile(name, options, &real, dbg);
  if (!done.ok())
    return done;
  std::scoped_lock guard{lock_};
  // A file of the same name is another file from now on: the old one's bytes
  // are still what the disk has under it.
  auto fresh = std::make_shared<content>();
  now_[tidy(name)] = fresh;
  changed();
  r->reset(new tracked_file{*this, fresh, std::move(real)});
  return done;
}

IOStatus power_loss_fs::ReopenWritableFile(
  const std::string& name, const rocksdb::FileOptions& options,
  std::unique_ptr<rocksdb::FSWritableFile>* r, IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSWritableFile> real;
  auto done = target()->ReopenWritableFile(name, options, &real, dbg);
  if (!done.ok())
    return done;
  std::scoped_lock guard{lock_};
  auto& file = now_[tidy(name)];
  if (!file)
    file = std::make_shared<content>();
  r->reset(new tracked_file{*this, file, std::move(real)});
  return done;
}

IOStatus power_loss_fs::NewDirectory(const std::string& name,
                                     const IOOptions& options,
                                     std::unique_ptr<rocksdb::FSDirectory>* r,
                                     IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSDirectory> real;
  auto done = target()->NewDirectory(name, options, &real, dbg);
  if (done.ok())
    r->reset(new tracked_directory{*this, tidy(name), std::move(real)});
  return done;
}

IOStatus power_loss_fs::DeleteFile(const std::string& name,
                                   const IOOptions& options,
                                   IODebugContext* dbg) {
  std::scoped_lock guard{lock_};
  now_.erase(tidy(name));
  changed();
  return target()->DeleteFile(name, options, dbg);
}

IOStatus power_loss_fs::RenameFile(const std::string& from,
                                   const std::string& to,
                                   const IOOptions& options,
                                   IODebugContext* dbg) {
  std::scoped_lock guard{lock_};
  if (observer_)
    observer_();
  auto done = target()->RenameFile(from, to, options, dbg);
  auto i = now_.find(tidy(from));
  if (done.ok() && i != now_.end()) {
    now_[tidy(to)] = i->second;
    now_.erase(tidy(from));
    changed();
  }
  if (observer_)
    observer_();
  return done;
}

IOStatus power_loss_fs::LinkFile(const std::string& from, const std::string& to,
                                 const IOOptions& options,
                                 IODebugContext* dbg) {
  std::scoped_lock guard{lock_};
  auto done = target()->LinkFile(from, to, options, dbg);
  if (auto i = now_.find(tidy(from)); done.ok() && i != now_.end())
    now_[tidy(to)] = i->second;
  changed();
  return done;
}

IOStatus power_loss_fs::Truncate(const std::string& name, std::size_t size,
                                 const IOOptions& options,
                                 IODebugContext* dbg) {
  std::scoped_lock guard{lock_};
  if (auto i = now_.find(tidy(name)); i != now_.end()) {
    i->second->bytes.resize(size);
    i->second->synced = std::min(i->second->synced, size);
  }
  changed();
  return target()->Truncate(name, size, options, dbg);
}

} // namespace baton::storage
