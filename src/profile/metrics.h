// The metrics of Nsight Compute that are asked for, by its own names (sm_75 and newer).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::profile::metric {

inline constexpr std::string_view dram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr std::string_view dram_read = "dram__bytes_read.sum";
inline constexpr std::string_view dram_written = "dram__bytes_write.sum";
inline constexpr std::string_view sm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr std::string_view occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
inline constexpr std::string_view l2_hit = "lts__t_sector_hit_rate.pct";
inline constexpr std::string_view load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr std::string_view load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
inline constexpr std::string_view load_efficiency = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
inline constexpr std::string_view threads_a_warp = "smsp__thread_inst_executed_per_inst_executed.ratio";
// Of loads and of stores: the sums over all of shared memory count shuffles and arbitration as well.
inline constexpr std::string_view load_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
inline constexpr std::string_view store_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
inline constexpr std::string_view load_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
inline constexpr std::string_view store_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
inline constexpr std::string_view issued = "smsp__issue_active.sum";  // instructions, of all schedulers

// Cycles that a warp spends in a state for each instruction that is issued. `reason`: "barrier".
std::string stall(std::string_view reason);
// The reason in the name of a stall metric; empty for any other name.
std::string_view stall_reason(std::string_view metric);

// All that GPUs of this architecture are asked.
std::vector<std::string> all(int arch);

}  // namespace tuner::profile::metric
