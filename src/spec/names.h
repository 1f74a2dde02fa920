// Every name a manifest gives a meaning, and which of them an expression may use. Private to spec/.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "space/expr.h"
#include "spec/cursor.h"

namespace tuner::spec {

// unsure: given by what could not be read whole; it may mean anything.
enum class Meaning { dimension, fact, parameter, choice, let, type, gpu, regime, index, metric, time, word, unsure };

// Names of the GPU that expressions know.
const std::vector<std::string>& gpu_names();
// The measured time, in metrics.
const std::vector<std::string>& time_names();
// f64 ... u4.
const std::vector<std::string>& type_names();

// What one place of a manifest lets an expression use, beside types and words.
struct Allowed {
  std::string place;  // "'traffic'", for messages
  bool dims = true;
  bool facts = true;
  bool gpu = true;
  bool lets = true;
  std::string index = {};  // of the `repeat` around it
  bool any_index = false;
  bool metrics = false;  // and the measured time
  int params = -1;       // how many of the first parameters; -1: all, and their choices

  static Allowed everything(const std::string& place);
  static Allowed problem(const std::string& place);  // no parameters
  static Allowed metric(const std::string& place);
};

class Names {
 public:
  Names();

  // Throws UserError at `at` when the name means something else already. The same choice of two parameters is one name,
  // and so is a choice that is an element type.
  void add(const std::string& name, Meaning meaning, const Cursor& at);
  // The expression of a let or a metric; its names are checked by check_named, when all are known.
  void add_named(const std::string& name, Meaning meaning, space::Expr expression, const Cursor& at);

  // What is named in a part that could not be read: nothing is wrong with using it.
  void assume(const std::string& name);
  bool is_unsure(const std::string& name) const;
  // A part that gives names could not be read at all: no name is unknown any more.
  void forgive_unknown() { forgiving_ = true; }

  // Of one let or metric that was added: unknown names, and whether it uses itself.
  void check_named(const std::string& name);
  // Whether a metric that was checked is made of the measured time, through others as well.
  bool uses_time(const std::string& name) const;
  // Throws UserError for a name that is unknown or not allowed there, also when a let stands between.
  void check(const space::Expr& expression, const Allowed& allowed) const;

 private:
  struct Known {
    Meaning meaning = Meaning::word;
    int number = 0;  // of a parameter
  };
  const Known& known(const space::Expr& expression, const std::string& name) const;
  void check_cycle(const std::string& name, std::vector<std::string>& open);
  // The first name that `name` leads to and that is not allowed, or empty.
  std::string not_allowed(const std::string& name, const Allowed& allowed, std::map<std::string, bool>& seen) const;

  std::map<std::string, Known> names_;
  std::map<std::string, space::Expr> named_;
  std::map<std::string, bool> acyclic_;  // of named_, those that are done, those that were complained about among them
  int params_ = 0;
  bool forgiving_ = false;
};

}  // namespace tuner::spec
