#include "export/header_text.h"

namespace tuner::exporting {

const std::string_view header_ladder = R"text(
  namespace detail {

  // A tuned problem of kernel K. Fact bits: known to the row; the manifest's default there.
  template <class K>
  struct Row {
    int gpu;
    int layer;
    bool shared_gpu;
    bool same_facts;  // the row has exactly the facts that the kernel has now
    const char* regime;
    typename K::Problem problem;
    unsigned long long facts_known;
    unsigned long long facts_default;
    int first;  // picks: the ties in order of preference, then others by time
    int tied;
    int others;
    bool gives_way;        // to the default, at a neighbour
    int traveller;         // config that answers there first; -1: the ties do
    double expected_loss;  // of it; -1: unknown
    double default_loss;
  };

  struct Pick {
    int config;
    bool exact_only;
  };

  template <class K>
  struct Pin {
    const char* gpu;  // part of a name
    int layer;
    const char* regime;
    typename K::Problem problem;
    typename K::Params params;
  };

  // Configurations that agree in every parameter that is active in `params`.
  template <class K>
  struct Forbid {
    const char* gpu;
    typename K::Params params;
  };

  template <class K>
  struct Tables {
    const Row<K>* rows;
    int row_count;
    const Pick* picks;
    const typename K::Params* configs;
    const Pin<K>* pins;
    int pin_count;
    const Forbid<K>* forbids;
    int forbid_count;
  };

  TUNER_EXPORT_HD constexpr bool launchable(const Step& step, const Gpu& gpu) {
    const Dim3& g = step.grid;
    const Dim3& b = step.block;
    if (g.x < 1 || g.y < 1 || g.z < 1 || b.x < 1 || b.y < 1 || b.z < 1 || step.shared_bytes < 0) return false;
    if (g.x > 2147483647 || g.y > 65535 || g.z > 65535) return false;
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || b.x * b.y * b.z > 1024) return false;
    const Dim3& c = step.cluster;
    if (c.x != 1 || c.y != 1 || c.z != 1) {
      const long long most = gpu.arch / 10 == 9 || gpu.arch / 10 == 10 ? 16 : 8;
      if (gpu.arch < 90 || c.x < 1 || c.y < 1 || c.z < 1 || c.x > most || c.y > most || c.z > most) return false;
      if (c.x * c.y * c.z > most || g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) return false;
    }
    return gpu.shared_max <= 0 || step.shared_bytes <= gpu.shared_max;
  }

  // Legal: every active parameter present with one of its values, none besides, every constraint true, launchable.
  template <class K>
  TUNER_EXPORT_HD constexpr bool legal(const typename K::Problem& q, const typename K::Params& p, const Gpu& g) {
    if (!K::runs_on(q, g)) return false;
    for (int i = 0; i < K::param_count; ++i) {
      const bool has = (p.active_ >> i & 1) != 0;
      if (K::active(i, q, p, g) != (has ? 1 : 0)) return false;
      if (!has) continue;
      bool known = false;
      for (int v = 0; v < K::value_count(i); ++v) known = known || K::value(i, v) == K::get(p, i);
      if (!known) return false;
    }
    for (int level = 0; level <= K::param_count; ++level)
      if (!K::passes(level, q, p, g)) return false;
    Step steps[K::max_steps + 1];
    const int count = K::steps(q, p, g, steps);
    if (count < 0) return false;
    for (int i = 0; i < count; ++i)
      if (steps[i].entry != nullptr && !launchable(steps[i], g)) return false;
    return true;
  }

  template <class K>
  TUNER_EXPORT_HD constexpr bool forbidden(const Tables<K>& t, const typename K::Params& p, const Gpu& g) {
    for (int f = 0; f < t.forbid_count; ++f) {
      const auto& wanted = t.forbids[f].params;
      bool agrees = (wanted.active_ & ~p.active_) == 0 && contains_blind(g.name, t.forbids[f].gpu);
      for (int i = 0; agrees && i < K::param_count; ++i)
        agrees = (wanted.active_ >> i & 1) == 0 || K::get(wanted, i) == K::get(p, i);
      if (agrees) return true;
    }
    return false;
  }

  template <class K>
  TUNER_EXPORT_HD constexpr bool usable(const Tables<K>& t, const typename K::Problem& q, const typename K::Params& p,
                                        const Gpu& g, const char* regime) {
    return !forbidden(t, p, g) && legal<K>(q, p, g) && (same_text(regime, "plain") || K::overlaps(q, p, g));
  }

  // The first legal configuration that agrees with default number `which`, the last parameter varying fastest.
  template <class K>
  TUNER_EXPORT_HD constexpr bool complete(int which, const typename K::Problem& q, const Gpu& g,
                                          typename K::Params& p) {
    int at[K::param_count + 1] = {};
    at[0] = -1;
    p = typename K::Params{};
    if (!K::passes(0, q, p, g)) return false;
    for (int level = 0; level >= 0;) {
      if (level == K::param_count) return true;
      const unsigned long long bit = 1ull << level;
      p.active_ &= bit - 1;
      const int active = K::active(level, q, p, g);
      bool placed = false;
      if (active == 0 && at[level] < 0 && !K::asks(which, level)) {
        at[level] = 0;
        placed = K::passes(level + 1, q, p, g);
      }
      while (active == 1 && !placed && ++at[level] < K::value_count(level)) {
        if (!K::allows(which, level, K::value(level, at[level]))) continue;
        K::get(p, level) = K::value(level, at[level]);
        p.active_ |= bit;
        placed = K::passes(level + 1, q, p, g);
        if (!placed) p.active_ &= bit - 1;
      }
      if (placed) {
        at[++level] = -1;
      } else {
        --level;
      }
    }
    return false;
  }

  template <class K>
  struct Found {
    Match match = Match::none;
    typename K::Params params = {};
    int row = -1;
    int pin = -1;
    long long shape = 0;
    long long other = 0;
    double loss = -1;
    bool facts_agree = false;  // of a neighbour: its losses are from rows with its facts
  };

  // The order of neighbours: less is better.
  struct Key {
    long long part[6];
    TUNER_EXPORT_HD constexpr bool before(const Key& other) const {
      for (int i = 0; i < 6; ++i)
        if (part[i] != other.part[i]) return part[i] < other.part[i];
      return false;
    }
  };

  template <class K>
  TUNER_EXPORT_HD constexpr bool same_problem(const typename K::Problem& a, const typename K::Problem& b) {
    for (int i = 0; i < K::dim_count; ++i)
      if (K::dim(a, i) != K::dim(b, i)) return false;
    for (int i = 0; i < K::fact_count; ++i)
      if (K::fact(a, i) != K::fact(b, i)) return false;
    return true;
  }

  template <class K>
  TUNER_EXPORT_HD constexpr long long fact_mismatches(const Row<K>& row, const typename K::Problem& q,
                                                      const typename K::Problem& usual) {
    long long count = 0;
    for (int i = 0; i < K::fact_count; ++i) {
      const bool known = (row.facts_known >> i & 1) != 0;
      const bool same = K::fact(row.problem, i) == K::fact(q, i);
      const bool both_default = (row.facts_default >> i & 1) != 0 && K::fact(usual, i) == K::fact(q, i);
      if (!known || (!same && !both_default)) ++count;
    }
    return count;
  }

  template <class K>
  TUNER_EXPORT_HD constexpr Found<K> pinned(const Tables<K>& t, const typename K::Problem& q, const Gpu& g,
                                            const char* regime) {
    int best = -1;
    for (int i = 0; i < t.pin_count; ++i) {
      const auto& pin = t.pins[i];
      if (!same_text(pin.regime, regime) || !contains_blind(g.name, pin.gpu) || !same_problem<K>(pin.problem, q))
        continue;
      if (best >= 0) {
        const auto& other = t.pins[best];
        if (pin.layer > other.layer || (pin.layer == other.layer && *pin.gpu == 0 && *other.gpu != 0)) continue;
      }
      best = i;
    }
    if (best < 0 || !usable<K>(t, q, t.pins[best].params, g, regime)) return {};
    return {Match::pinned, t.pins[best].params, -1, best};
  }

  template <class K>
  TUNER_EXPORT_HD constexpr Found<K> exact(const Tables<K>& t, const typename K::Problem& q, const Gpu& g,
                                           const char* regime) {
    int best = -1;
    for (int i = 0; i < t.row_count; ++i) {
      const auto& row = t.rows[i];
      if (!row.same_facts || !same_text(row.regime, regime) || !same_problem<K>(row.problem, q)) continue;
      if (!same_model(model(row.gpu), g)) continue;
      if (best >= 0) {
        const auto& other = t.rows[best];
        if (row.shared_gpu ? !other.shared_gpu || row.layer >= other.layer
                           : !other.shared_gpu && row.layer >= other.layer)
          continue;
      }
      best = i;
    }
    if (best < 0) return {};
    const auto& row = t.rows[best];
    for (int i = row.first; i < row.first + row.tied + row.others; ++i) {
      const auto& params = t.configs[t.picks[i].config];
      if (usable<K>(t, q, params, g, regime)) return {Match::exact, params, best, -1, 0, 0, 0};
    }
    return {};
  }

  template <class K>
  TUNER_EXPORT_HD constexpr Found<K> near(const Tables<K>& t, const typename K::Problem& q, const Gpu& g,
                                          const char* regime, Match rung) {
    const auto usual = K::usual(q);
    Key last{{-1, 0, 0, 0, 0, 0}};
    for (;;) {
      Key next{};
      Found<K> found;
      for (int i = 0; i < t.row_count; ++i) {
        const auto& row = t.rows[i];
        if (!same_text(row.regime, regime)) continue;
        const Gpu tuned = model(row.gpu);
        const bool same = same_model(tuned, g);
        if (rung == Match::near_shape ? !same : same || tuned.arch != g.arch) continue;
        long long shape = 0;
        bool near_enough = true;
        for (int d = 0; d < K::dim_count; ++d) {
          near_enough = near_enough && within_factor_8(K::dim(q, d), K::dim(row.problem, d));
          shape += squared_log2_difference(K::dim(q, d), K::dim(row.problem, d));
        }
        if (!near_enough) continue;
        const long long other = same ? 0 : gpu_distance(g, tuned);
        const Key key{{row.shared_gpu ? 1 : 0, row.layer, fact_mismatches<K>(row, q, usual), shape + other, other, i}};
        if (!last.before(key) || (found.row >= 0 && !key.before(next))) continue;
        next = key;
        found.row = i;
        found.shape = shape;
        found.other = other;
        found.facts_agree = key.part[2] == 0;
      }
      if (found.row < 0) return {};
      const auto& row = t.rows[found.row];
      if (row.traveller >= 0 && usable<K>(t, q, t.configs[row.traveller], g, regime)) {
        found.match = rung;
        found.loss = found.facts_agree ? row.expected_loss : -1;
        found.params = t.configs[row.traveller];
        return found;
      }
      for (int i = row.first; i < row.first + row.tied; ++i) {
        if (t.picks[i].exact_only || !usable<K>(t, q, t.configs[t.picks[i].config], g, regime)) continue;
        found.match = rung;
        found.params = t.configs[t.picks[i].config];
        return found;
      }
      last = next;
    }
  }

  template <class K>
  TUNER_EXPORT_HD constexpr Found<K> by_default(const Tables<K>& t, const typename K::Problem& q, const Gpu& g,
                                                const char* regime) {
    for (int which = 0; which < K::default_count; ++which) {
      typename K::Params p = {};
      if (!complete<K>(which, q, g, p)) continue;
      if (!usable<K>(t, q, p, g, regime)) return {};
      return {Match::by_default, p};
    }
    return {};
  }

  template <class K>
  TUNER_EXPORT_HD constexpr Found<K> ladder(const Tables<K>& t, const typename K::Problem& q, const Gpu& g,
                                            const char* regime) {
    Found<K> found = pinned<K>(t, q, g, regime);
    if (found.match == Match::none) found = exact<K>(t, q, g, regime);
    if (found.match != Match::none) return found;
    found = near<K>(t, q, g, regime, Match::near_shape);
    if (found.match == Match::none) found = near<K>(t, q, g, regime, Match::near_gpu);
    if (found.match != Match::none && !t.rows[found.row].gives_way) return found;
    if (found.match == Match::none && !same_text(regime, "plain")) return found;  // a default is of the plain one
    Found<K> standard = by_default<K>(t, q, g, regime);
    if (standard.match == Match::none) return found;
    if (found.match != Match::none && found.facts_agree) standard.loss = t.rows[found.row].default_loss;
    return standard;
  }

  template <class K>
  TUNER_EXPORT_HD constexpr bool is_shape(const typename K::Problem& q) {
    tuner_expr::Sized elements{1};
    for (int i = 0; i < K::dim_count; ++i) {
      if (K::dim(q, i) < 1) return false;
      elements = elements * tuner_expr::Sized{K::dim(q, i)};
    }
    return elements.known;
  }

  template <class K>
  TUNER_EXPORT_HD constexpr Choice choice(const Tables<K>& t, const typename K::Problem& asked, const Gpu& g,
                                          const char* regime) {
    Choice out;
    out.kernel = K::name();
    if (!is_shape<K>(asked) || !K::possible(asked)) return out;
    typename K::Problem q = K::in_regime(asked, same_text(regime, "dependent"));
    Found<K> found = ladder<K>(t, q, g, regime);
    out.regime = same_text(regime, "plain") ? "plain" : regime;
    if (found.match == Match::none && !same_text(regime, "plain")) {
      out.regime = "plain";
      q = K::in_regime(asked, false);
      found = ladder<K>(t, q, g, "plain");
    }
    out.match = found.match;
    if (found.match == Match::none) return out;
    if (found.row >= 0) {
      const auto& row = t.rows[found.row];
      out.layer = layer_name(row.layer);
      out.tuned_gpu = model(row.gpu).name;
      for (int i = 0; i < K::dim_count; ++i) out.tuned_dims[i] = K::dim(row.problem, i);
    }
    if (found.pin >= 0) out.layer = layer_name(t.pins[found.pin].layer);
    out.expected_loss = found.loss;
    out.shape_distance = found.shape;
    out.gpu_distance = found.other;
    for (int i = 0; i < K::param_count; ++i) {
      if ((found.params.active_ >> i & 1) == 0) continue;
      const long long number = K::get(found.params, i);
      out.params[out.param_count++] = Param{K::param_name(i), K::is_word(i) ? K::word(number) : nullptr, number};
    }
    out.step_count = K::steps(q, found.params, g, out.steps);
    return out;
  }

  TUNER_EXPORT_HD constexpr bool is_kind(const Fact& fact, int kind) {
    if (kind == 0 || kind == 1) return fact.word == nullptr && (kind == 0 || fact.number == 0 || fact.number == 1);
    if (kind == 2 || kind == 3) return fact.word != nullptr && (kind == 2 || is_type(fact.word));
    return true;
  }

  // Dims and facts put into a problem; false for what the kernel does not have.
  template <class K>
  TUNER_EXPORT_HD constexpr bool fill(typename K::Problem& q, const long long* dims, int dim_count, const Fact* facts,
                                      int fact_count) {
    if (dim_count != K::dim_count) return false;
    for (int i = 0; i < dim_count; ++i) K::dim(q, i) = dims[i];
    if (!is_shape<K>(q)) return false;
    q = K::usual(q);
    for (int f = 0; f < fact_count; ++f) {
      bool known = false;
      for (int i = 0; i < K::fact_count; ++i) {
        if (!same_text(facts[f].name, K::fact_name(i)) || !is_kind(facts[f], K::fact_kind(i))) continue;
        K::fact(q, i) = facts[f].word != nullptr ? K::number(facts[f].word) : facts[f].number;
        known = true;
      }
      if (!known) return false;
    }
    return true;
  }

  }  // namespace detail
)text";

}  // namespace tuner::exporting
