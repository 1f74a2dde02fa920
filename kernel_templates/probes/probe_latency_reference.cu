// Where the thread of probe_latency.cu stands in the end.
extern "C" __global__ void ring_reference(long long* last, int lines, int, int hops, double) {
  unsigned int at = 0;
  for (int i = 0; i < hops; ++i) at = (at * 1664525u + 1013904223u) & (lines - 1);
  last[0] = at;
}

extern "C" __global__ void count_reference(long long* last, int, int, int hops, double) { last[0] = hops; }

extern "C" __global__ void table_reference(long long* last, const unsigned int*, int, int, int hops, double) {
  last[0] = hops;
}
