#include "compile/compile_job.h"

#include <nlohmann/json.hpp>

#include "proc/frames.h"

namespace tuner::compile {

using nlohmann::json;

std::string encode_job(const CompileJob& job) {
  const Source& source = job.source;
  json header{{"library", job.library},
              {"arch", job.arch},
              {"name", source.name},
              {"options", source.options},
              {"entries", source.entries},
              {"hash", source.hash},
              {"text_bytes", source.text.size()},
              {"headers", json::array()},
              {"include_dirs", source.include_dirs},
              {"nvcc", source.nvcc},
              {"folder", job.folder}};
  std::string payload = source.text;
  for (const auto& one : source.headers) {
    header["headers"].push_back({{"name", one.name}, {"bytes", one.text.size()}});
    payload += one.text;
  }
  return proc::encode_frame({header.dump(-1, ' ', false, json::error_handler_t::replace), std::move(payload)});
}

std::optional<CompileJob> decode_job(std::string_view bytes) {
  proc::Frame frame;
  if (!proc::decode_frame(bytes, frame)) return std::nullopt;
  const auto header = json::parse(frame.header, nullptr, false);
  if (!header.is_object()) return std::nullopt;
  try {
    CompileJob job;
    header.at("library").get_to(job.library);
    header.at("arch").get_to(job.arch);
    header.at("name").get_to(job.source.name);
    header.at("options").get_to(job.source.options);
    header.at("entries").get_to(job.source.entries);
    header.at("hash").get_to(job.source.hash);
    header.at("include_dirs").get_to(job.source.include_dirs);
    header.at("nvcc").get_to(job.source.nvcc);
    header.at("folder").get_to(job.folder);
    std::size_t at = 0;
    const auto take = [&](const json& size) {
      const auto count = size.get<std::size_t>();
      if (count > frame.payload.size() - at) throw json::other_error::create(501, "payload too short", nullptr);
      at += count;
      return frame.payload.substr(at - count, count);
    };
    job.source.text = take(header.at("text_bytes"));
    for (const auto& one : header.at("headers"))
      job.source.headers.push_back({one.at("name").get<std::string>(), take(one.at("bytes"))});
    return job;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tuner::compile
