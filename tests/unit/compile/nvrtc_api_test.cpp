// Our declarations of NVRTC against the toolkit's own header, where it is installed.
#include "compile/nvrtc_api.h"

#include <gtest/gtest.h>

#if __has_include(<nvrtc.h>)
#include <nvrtc.h>

#include <type_traits>

namespace tuner::compile {
namespace {

namespace api = nvrtc_api;

static_assert(std::is_same_v<nvrtcProgram, api::Program>);
static_assert(sizeof(nvrtcResult) == sizeof(api::Result));
static_assert(static_cast<int>(NVRTC_SUCCESS) == api::success);
static_assert(static_cast<int>(NVRTC_ERROR_OUT_OF_MEMORY) == api::out_of_memory);
static_assert(static_cast<int>(NVRTC_ERROR_INVALID_OPTION) == api::invalid_option);
static_assert(static_cast<int>(NVRTC_ERROR_COMPILATION) == api::compilation);
static_assert(static_cast<int>(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) == api::builtin_operation_failure);
static_assert(static_cast<int>(NVRTC_ERROR_INTERNAL_ERROR) == api::internal_error);

template <typename T>
using Ours = std::conditional_t<std::is_same_v<T, nvrtcResult>, api::Result, T>;
template <typename R, typename... A>
auto translated(R (*)(A...)) -> Ours<R> (*)(Ours<A>...);
template <typename Function>
using Translated = std::remove_pointer_t<decltype(translated(static_cast<Function*>(nullptr)))>;

static_assert(std::is_same_v<Translated<decltype(nvrtcVersion)>, api::Version>);
static_assert(std::is_same_v<Translated<decltype(nvrtcGetNumSupportedArchs)>, api::GetNumSupportedArchs>);
static_assert(std::is_same_v<Translated<decltype(nvrtcGetSupportedArchs)>, api::GetSupportedArchs>);
static_assert(std::is_same_v<Translated<decltype(nvrtcGetErrorString)>, api::GetErrorString>);
static_assert(std::is_same_v<Translated<decltype(nvrtcCreateProgram)>, api::CreateProgram>);
static_assert(std::is_same_v<Translated<decltype(nvrtcDestroyProgram)>, api::DestroyProgram>);
static_assert(std::is_same_v<Translated<decltype(nvrtcCompileProgram)>, api::CompileProgram>);
static_assert(std::is_same_v<Translated<decltype(nvrtcGetProgramLogSize)>, api::GetSize>);
static_assert(std::is_same_v<Translated<decltype(nvrtcGetProgramLog)>, api::GetBytes>);
static_assert(std::is_same_v<Translated<decltype(nvrtcGetCUBINSize)>, api::GetSize>);
static_assert(std::is_same_v<Translated<decltype(nvrtcGetCUBIN)>, api::GetBytes>);

TEST(NvrtcApi, AgreesWithTheToolkitsHeader) { SUCCEED() << "checked by the compiler"; }

}  // namespace
}  // namespace tuner::compile
#else
TEST(NvrtcApi, AgreesWithTheToolkitsHeader) { GTEST_SKIP() << "needs nvcc"; }
#endif
