// CIFAR's binary files (Krizhevsky 2009, "Learning multiple layers of features from tiny images"): records without a
// header. CIFAR-10 has one label byte, CIFAR-100 a coarse and a fine one; then come the planes red, green and blue of
// an image, each 32 × 32, row-major. They may be compressed with gzip.
#include "data/formats/compressed_file.h"
#include "data/formats/readers.h"
#include "data/records.h"

#include "support/failure.h"

#include <array>
#include <filesystem>

namespace planrt {

namespace {

constexpr std::array<std::int64_t, 3> image_extents = {32, 32, 3};
constexpr std::size_t places = 32 * 32;
constexpr std::size_t pixels = 3 * places;

struct CifarFile {
    std::string path;
    bool hundred; ///< CIFAR-100
    bool tests;
};

/// The file, or, if there is none of that name, the one with .gz appended.
std::string plain_or_gzip(const std::string &file) {
    return !std::filesystem::exists(file) && std::filesystem::exists(file + ".gz") ? file + ".gz" : file;
}

/// The files of a directory, or the file itself: of CIFAR-100 if its name is that of one of CIFAR-100's.
std::vector<CifarFile> files_of(const std::string &path) {
    namespace fs = std::filesystem;
    const std::string name = fs::path(path).filename();
    if (!fs::is_directory(path))
        return {{path, name.starts_with("train.bin") || name.starts_with("test.bin"), false}};
    const bool ten = fs::exists(plain_or_gzip(path + "/data_batch_1.bin"));
    const bool hundred = fs::exists(plain_or_gzip(path + "/train.bin"));
    if (ten && hundred)
        throw Failure(path + ": has data_batch_1.bin (CIFAR-10) and train.bin (CIFAR-100); expected one of them");
    if (hundred)
        return {{plain_or_gzip(path + "/train.bin"), true, false}, {plain_or_gzip(path + "/test.bin"), true, true}};
    if (!ten)
        throw MissingFile(path + ": has neither data_batch_1.bin (CIFAR-10) nor train.bin (CIFAR-100)");
    std::vector<CifarFile> files;
    for (const char batch : {'1', '2', '3', '4', '5'})
        files.push_back({plain_or_gzip(path + "/data_batch_" + batch + ".bin"), false, false});
    files.push_back({plain_or_gzip(path + "/test_batch.bin"), false, true});
    return files;
}

class CifarReader {
  public:
    CifarReader(std::vector<FieldStore> &stores, SplitColumn *marks) : stores_(stores), marks_(marks) {
        for (const FieldStore &store : stores) {
            const bool image = store.field().part == CifarPart::pixels;
            if (store.sample_elements() != (image ? static_cast<std::int64_t>(pixels) : 1))
                throw Failure(text("CIFAR: expected samples of %lld numbers for %s, got %s",
                                   static_cast<long long>(store.sample_elements()), store.field().name,
                                   image ? describe_extents(image_extents).c_str() : "labels"));
        }
    }

    void read(const CifarFile &cifar) {
        CompressedFile file(cifar.path);
        const std::size_t labels = cifar.hundred ? 2 : 1;
        std::array<unsigned char, 2 + pixels> record{};
        for (std::int64_t number = 0;; ++number) {
            const std::size_t got = file.read(record.data(), labels + pixels);
            if (got == 0 && number > 0)
                return;
            if (got == 0)
                throw Failure(cifar.path + ": has no samples");
            if (got < labels + pixels)
                throw Failure(text("%s: ends in sample %lld, after %zu of %zu bytes", cifar.path.c_str(),
                                   static_cast<long long>(number), got, labels + pixels));
            append(cifar, record.data(), number);
        }
    }

  private:
    void append(const CifarFile &cifar, const unsigned char *record, std::int64_t number) {
        const unsigned char *planes = record + (cifar.hundred ? 2 : 1);
        for (std::size_t place = 0; place < places; ++place)
            for (std::size_t channel = 0; channel < 3; ++channel)
                image_[3 * place + channel] = planes[places * channel + place];
        for (FieldStore &store : stores_) {
            const CifarPart part = store.field().part;
            if (part == CifarPart::coarse_label && !cifar.hundred)
                throw Failure(text("%s: is of CIFAR-10, which has no coarse labels for %s", cifar.path.c_str(),
                                   store.field().name));
            const unsigned char *raw = part == CifarPart::pixels                   ? image_.data()
                                       : part == CifarPart::label && cifar.hundred ? record + 1
                                                                                   : record;
            std::string reason;
            if (!store.append(raw, reason))
                throw Failure(text("%s: sample %lld: ", cifar.path.c_str(), static_cast<long long>(number)) + reason);
        }
        if (marks_ != nullptr)
            marks_->push_back(cifar.tests ? 1 : 0);
    }

    std::vector<FieldStore> &stores_;
    SplitColumn *marks_; ///< null: not wanted
    std::array<unsigned char, pixels> image_{};
};

} // namespace

std::vector<std::string> cifar_files(const std::string &path) {
    std::vector<std::string> paths;
    for (const CifarFile &file : files_of(path))
        paths.push_back(file.path);
    return paths;
}

void read_cifar(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column) {
    CifarReader reader(stores, source.set.split == SplitKind::files ? &split_column : nullptr);
    for (const CifarFile &file : files_of(source.path(source.set.path)))
        reader.read(file);
}

} // namespace planrt
