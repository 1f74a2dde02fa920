// The statistics every layer reports by.
#pragma once

#include <vector>

namespace tuner {

// Of a copy: the mean of the two middle values for an even count. 0 for none.
double median(std::vector<double> values);
// The q quantile (0..1) by linear interpolation between order statistics (Hyndman and Fan, type 7). 0 for none.
double quantile(std::vector<double> values, double q);
// Half the interquartile range over the median. 0 for fewer than 2.
double spread(const std::vector<double>& values);

}  // namespace tuner
