// What an export wrote, or what is out of date.
#pragma once

#include <string>
#include <vector>

#include "export/document.h"
#include "report/style.h"

namespace tuner::report {

// `with_text`: the documents themselves, for standard output.
std::string export_json(const std::vector<exporting::Document>& documents, bool with_text);

// Which files differ and where; the command that mends them stands last.
std::string check_text(const std::vector<exporting::Document>& documents,
                       const std::vector<exporting::Difference>& differences, const std::string& command,
                       const Style& style);
std::string check_json(const std::vector<exporting::Document>& documents,
                       const std::vector<exporting::Difference>& differences, const std::string& command);

}  // namespace tuner::report
