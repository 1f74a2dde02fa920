// Files of models, written as their formats say.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "repack/tensor_file.h"

namespace tuner::repack {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::string number(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct Written {
  std::string name, type;  // of GGUF a number
  std::vector<std::int64_t> shape;
  std::string bytes;
};

inline std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ",") + std::to_string(extent);
  return "[" + text + "]";
}

inline std::string safetensors_of(const std::vector<Written>& tensors) {
  std::string header = R"({"__metadata__":{"format":"pt"})", data;
  for (const Written& tensor : tensors) {
    header += ",\"" + tensor.name + R"(":{"dtype":")" + tensor.type + R"(","shape":)" + shape_text(tensor.shape) +
              ",\"data_offsets\":[" + std::to_string(data.size()) + "," +
              std::to_string(data.size() + tensor.bytes.size()) + "]}";
    data += tensor.bytes;
  }
  header += "}";
  return number<std::uint64_t>(header.size()) + header + data;
}

inline std::string gguf_text(const std::string& text) { return number<std::uint64_t>(text.size()) + text; }

// Version 3 with values of several types in front. Shapes are given outermost first.
inline std::string gguf_of(const std::vector<Written>& tensors, std::uint32_t alignment = 32) {
  std::string file =
      "GGUF" + number<std::uint32_t>(3) + number<std::uint64_t>(tensors.size()) + number<std::uint64_t>(4);
  file += gguf_text("general.name") + number<std::uint32_t>(8) + gguf_text("a model");
  file += gguf_text("general.alignment") + number<std::uint32_t>(4) + number(alignment);
  file += gguf_text("tokens") + number<std::uint32_t>(9) + number<std::uint32_t>(8) + number<std::uint64_t>(2) +
          gguf_text("a") + gguf_text("bc");
  file += gguf_text("scores") + number<std::uint32_t>(9) + number<std::uint32_t>(6) + number<std::uint64_t>(3) +
          std::string(12, 'x');
  std::string data;
  const auto pad = [alignment](std::string& text) {
    text.resize((text.size() + alignment - 1) / alignment * alignment);
  };
  for (const Written& tensor : tensors) {
    pad(data);
    file += gguf_text(tensor.name) + number(static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto extent = tensor.shape.rbegin(); extent != tensor.shape.rend(); ++extent) file += number(*extent);
    file += number(static_cast<std::uint32_t>(std::stoul(tensor.type))) + number<std::uint64_t>(data.size());
    data += tensor.bytes;
  }
  pad(file);
  return file + data;
}

// A file that goes with the test.
class File {
 public:
  explicit File(const std::string& bytes)
      : path_((std::filesystem::temp_directory_path() /
               ("tuner_repack." + std::to_string(::getpid()) + "." + std::to_string(++count())))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  static int& count() {
    static int files = 0;
    return files;
  }
  std::string path_;
};

// What an action that must fail says.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace tuner::repack
