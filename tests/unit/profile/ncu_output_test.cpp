// What ncu writes, in the shapes that it has been seen to write.
#include "profile/ncu_output.h"

#include <gtest/gtest.h>

namespace tuner::profile {
namespace {

const std::vector<std::string> asked{"dram__throughput.pct", "dram__bytes.sum", "smsp__x.ratio"};

const char* const table =
    R"csv(==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling results may be inconsistent.
==PROF== Connected to process 3458 (/usr/bin/tuner)
==PROF== Disconnected from process 3458
==PROF== Connected to process 3606 (/usr/bin/tuner)
"ID","Process ID","Process Name","Host Name","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","launch__cluster_scheduling_policy","dram__bytes.max","dram__bytes.sum","dram__throughput.pct","smsp__x.ratio"
"","","","","","","","","","","","","","","byte","byte","%","inst"
"0","3606","tuner","127.0.0.1","3606  ""<default domain>:tuner candidate:none:none:none:none:none:none"" ","","void ns::gemv<float, 4>(const float *, int)","1","13","(64, 1, 1)","(128, 1, 1)","0","9.0","PolicySpread","2863616","134385408","93.80","n/a"
"1","3606","tuner","127.0.0.1","3606  ""<default domain>:tuner candidate:none:none:none:none:none:none"" ","","store","1","13","(64, 1, 1)","(128, 1, 1)","0","9.0","PolicySpread","1,536","35,584","0.31","nan"
==PROF== Disconnected from process 3606
)csv";

TEST(NcuOutput, ATableIsReadByItsTitles) {
  const std::vector<Row> rows = rows_of(table, asked);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].kernel, "gemv");
  EXPECT_EQ(rows[0].counters.find("dram__bytes.sum"), 134385408.0);
  EXPECT_EQ(rows[0].counters.find("dram__throughput.pct"), 93.8);
  EXPECT_EQ(rows[1].kernel, "store");
  EXPECT_EQ(rows[1].counters.find("dram__bytes.sum"), 35584.0);
}

TEST(NcuOutput, WhatWasNotCountedSaysWhy) {
  const std::vector<Row> rows = rows_of(table, {"smsp__x.ratio", "not_there"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].counters.values.empty());
  EXPECT_EQ(rows[0].counters.absent[0].second, "this GPU does not count it");
  EXPECT_EQ(rows[0].counters.absent[1].second, "this GPU does not count it");
  EXPECT_EQ(rows[1].counters.absent[0].second, "ncu says 'nan'");
}

TEST(NcuOutput, WithoutATableThereAreNoRows) {
  EXPECT_TRUE(rows_of("", asked).empty());
  EXPECT_TRUE(rows_of("==WARNING== No kernels were profiled.\n", asked).empty());
  EXPECT_TRUE(rows_of("\"0\",\"1234\"\n", asked).empty());
  EXPECT_TRUE(rows_of("\"ID\",\"Kernel Name\"\n\"\",\"\"\n", asked).empty());
  const auto cut = rows_of("\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n\"0\",\"ge", asked);
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].counters.absent.size(), asked.size());
}

TEST(NcuOutput, AFunctionHasOneName) {
  EXPECT_EQ(function_in("gemv"), "gemv");
  EXPECT_EQ(function_in("gemv(const __half *, int)"), "gemv");
  EXPECT_EQ(function_in("void reduce<(int)256, float>(float *)"), "reduce");
  EXPECT_EQ(function_in("a::b::k<c::d>"), "k");
  EXPECT_EQ(function_in(""), "");
}

TEST(NcuOutput, RefusalsHaveACauseAndARemedy) {
  struct Case {
    const char* said;
    const char* cause;
    const char* remedy;
  };
  const Case cases[] = {
      {"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on "
       "the target device 0.",
       "only administrators", "NVreg_RestrictProfilingToAdminUsers=0"},
      {"==ERROR== An error was reported by the driver:\n==ERROR== Profiling failed because a driver resource was "
       "unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data.",
       "held by another tool", "dcgmi profile --pause"},
      {"==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option.",
       "does not know this GPU", "--list-chips"},
      {"==ERROR== Profiling is not supported on device 0 as it uses the Windows Subsystem for Linux (WSL).",
       "under WSL", "control panel"},
      {"==ERROR== Cuda driver is not compatible with Nsight Compute.", "does not fit the driver", "TUNER_NCU"},
      {"==ERROR== Failed to profile \"gemv\" in process 7\n==ERROR== The application returned an error code (1).",
       "ncu says: Failed to profile \"gemv\" in process 7", ""}};
  for (const Case& each : cases) {
    const auto refusal = refusal_in(each.said);
    ASSERT_TRUE(refusal) << each.said;
    EXPECT_NE(refusal->what.find(each.cause), std::string::npos) << refusal->what;
    EXPECT_NE(refusal->hint.find(each.remedy), std::string::npos) << refusal->hint;
  }
  EXPECT_FALSE(refusal_in("==ERROR== The application returned an error code (3).\n==PROF== Disconnected\n"));
  EXPECT_FALSE(refusal_in(table));
}

TEST(NcuOutput, UnknownMetricsAreNamed) {
  EXPECT_EQ(unknown_metrics("==ERROR== Failed to find metric dram__bytes.sum\n", asked),
            std::vector<std::string>{"dram__bytes.sum"});
  EXPECT_TRUE(unknown_metrics(table, asked).empty());
}

}  // namespace
}  // namespace tuner::profile
