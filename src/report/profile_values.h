// Figures of a profiler as people read them.
#pragma once

#include <string>

#include "profile/figures.h"

namespace tuner::report {

std::string figure_text(const profile::Figure& figure);      // "93.8%", "16.5", "512.0 MiB"; "-" where there is none
std::string target_text(const profile::FigureKind& figure);  // "> 80%", "0%"; empty where there is none
std::string cycles_text(double cycles);                      // "5.20"

}  // namespace tuner::report
