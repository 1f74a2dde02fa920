#!/usr/bin/env bash
# An ncu for tests: it runs the command, looks at what was launched within the wanted NVTX range (the fake driver and the
# fake NVTX library write both down), and prints as the real one does a table of values that are made up.
# TUNER_FAKE_NCU: permission, held or chips, its refusals; words, one that nobody knows; metrics, two are unknown to it;
# nothing, its range is missed.
set -u
if [[ ${1:-} == --version ]]; then
  printf 'NVIDIA (R) Nsight Compute Command Line Profiler\nCopyright (c) 2018-2025 NVIDIA Corporation\n'
  printf 'Version 2025.3.1.0 (build 36398880) (public-release)\n'
  exit 0
fi
log='' metrics='' range=''
while [[ ${1:-} == --* ]]; do
  case $1 in
    --nvtx | --csv) shift ;;
    --log-file) log=$2 && shift 2 ;;
    --metrics) metrics=$2 && shift 2 ;;
    --nvtx-include) range=${2%/} && shift 2 ;;
    *) shift 2 ;;
  esac
done
say() { printf '%s\n' "$@" >>"$log"; }
wish=${TUNER_FAKE_NCU:-}
unknown='smsp__issue_active.sum smsp__average_warps_issue_stalled_misc_per_issue_active.ratio'
if [[ $wish == metrics && $metrics == *misc* ]]; then
  for name in $unknown; do say "==ERROR== Failed to find metric $name"; done
  exit 1
fi
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT
NVTX_INJECTION64_PATH=@NVTX@ TUNER_FAKE_NVTX=$seen TUNER_FAKE_LAUNCHES=$seen "$@"
code=$?
say "==PROF== Connected to process 4242 ($1)"
launched=$(awk -v range="$range" '
  $0 == "push " range { inside = 1 } $0 == "pop" { inside = 0 }
  inside && $1 == "launch" { name = $2; if (match(name, /^_Z[0-9]+/)) name = substr(name, RLENGTH + 1, substr(name, 3, RLENGTH - 2)); print name }
' "$seen")
refuse() {
  say "$@" "==PROF== Disconnected from process 4242" "==WARNING== No kernels were profiled."
  exit 1
}
case $wish in
  permission) refuse '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. For instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM' ;;
  held) refuse '==ERROR== An error was reported by the driver:' '==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data. See https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#faq for more details.' ;;
  chips) refuse '==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option.' ;;
  words) refuse '==ERROR== Failed to profile "gemv" in process 4242' ;;
  nothing) launched='' ;;
esac
((code == 0)) || say "==ERROR== The application returned an error code ($code)."
say "==PROF== Disconnected from process 4242"
if [[ -z $launched ]]; then
  say "==WARNING== No kernels were profiled."
  exit "$code"
fi
variant=warp
[[ " $* " =~ \ variant=([a-z]+) ]] && variant=${BASH_REMATCH[1]}
awk -v metrics="$metrics" -v launched="$launched" -v variant="$variant" '
  BEGIN {
    slow = variant == "naive"; meets = variant == "unrolled"
    value["dram__throughput.avg.pct_of_peak_sustained_elapsed"] = slow ? "22.820000" : "93.80"
    value["dram__bytes_read.sum"] = "134,217,728"; value["dram__bytes_write.sum"] = "0"
    value["sm__throughput.avg.pct_of_peak_sustained_elapsed"] = slow ? "8.5" : "31.25"
    value["sm__warps_active.avg.pct_of_peak_sustained_active"] = slow ? "15.59" : "97.93"
    value["lts__t_sector_hit_rate.pct"] = slow ? "51.9" : "2.4"
    value["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = slow ? "34,603,008" : "4,194,304"
    value["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = "2,097,152"
    value["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"] = slow ? "12.5" : "100"
    value["smsp__thread_inst_executed_per_inst_executed.ratio"] = slow ? "24" : "31.9"
    value["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = meets ? "1,024" : "0"
    value["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = meets ? "4,096" : "0"
    value["smsp__issue_active.sum"] = slow ? "2,000,000" : "1,500,000"
    stall = "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"
    value[sprintf(stall, "long_scoreboard")] = slow ? "21.5" : "20"
    value[sprintf(stall, "barrier")] = meets ? "9.25" : "0"
    value[sprintf(stall, "wait")] = "2.0"; value[sprintf(stall, "selected")] = "1"
    value[sprintf(stall, "gmma")] = "n/a"
    n = split(metrics, name, ",")
    head = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\""
    units = "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\""
    for (i = 1; i <= n; i++) { head = head ",\"" name[i] "\""; units = units ",\"" (name[i] ~ /pct/ ? "%" : "") "\"" }
    print head; print units
    rows = split(launched, kernel, "\n")
    for (row = 1; row <= rows; row++) {
      line = "\"" row - 1 "\",\"4242\",\"tuner\",\"127.0.0.1\",\"" kernel[row] "\",\"1\",\"13\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"0\",\"9.0\""
      if (row > 1) value["smsp__issue_active.sum"] = "1,500"  # the first does the work
      for (i = 1; i <= n; i++) line = line ",\"" (name[i] in value ? value[name[i]] : "0") "\""
      print line
    }
  }' >>"$log"
exit "$code"
