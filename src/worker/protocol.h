// The words of the worker's protocol that core does not have: how requests and replies stand in JSON.
//
// A request is {"request": NAME, "deadline_ms": N, ...}; its reply {"ok": true, ...} or {"error": {"kind", "what",
// "where", "hint"}, "lost": BOOL}. After a reply with "lost" the worker ends. The first frame comes unasked, perhaps
// behind other text: {"protocol": 2, "build": VERSION, "device": WORD, "emulated": BOOL, "gpus": N, "facts": {...}} or
// with "error" in place of facts. Binary images travel as payload, requests' alone: what a
// worker sends ends with a line.
#pragma once

#include <string>
#include <string_view>

#include "core/artifact.h"
#include "worker/client.h"

namespace tuner::worker {

// Exit codes of a worker process beside 0.
inline constexpr int exit_usage = 2;
inline constexpr int exit_deadline = 70;  // the watchdog's, at a request's deadline
inline constexpr int exit_lost = 71;      // the device was lost; the reply before said so
inline constexpr int exit_orphan = 72;    // the watchdog's, at the end of stdin during a request

std::string to_json(const Artifact& artifact);  // all but the image
Artifact artifact_from_json(std::string_view text, std::string image);

std::string to_json(const VerifyRequest& request);  // all but the deadline
VerifyRequest verify_request_from_json(std::string_view text);

std::string to_json(const Member& member);
Member member_from_json(std::string_view text);

std::string to_json(const Recorded& recorded);
Recorded recorded_from_json(std::string_view text);

}  // namespace tuner::worker
