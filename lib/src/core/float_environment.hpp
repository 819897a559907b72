// SPDX-License-Identifier: MIT
// The floating-point environment of a thread.
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace lanesort::inline v0_1::detail {

/// While this lives, its thread rounds to nearest, keeps subnormal numbers and traps no exception. Its end restores
/// what the thread had, the flags of exceptions included. Registers are read each time, but written only if they
/// differ: the functions of <cfenv> take longer than a sort of few keys.
class DefaultFloatEnvironment {
public:
    DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
    DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

#if defined(__x86_64__)
    DefaultFloatEnvironment() noexcept : before_(__builtin_ia32_stmxcsr()) {
        constexpr std::uint32_t flags = 0x3f, usual = 0x1f80;
        if ((before_ & ~flags) != usual) __builtin_ia32_ldmxcsr(usual);
        __asm__ volatile("fnstcw %0" : "=m"(x87_control_));
        if (x87_control_ == usual_x87) return;
        __asm__ volatile("fnstenv %0\n\tfldcw %1" : "=m"(x87_before_) : "m"(usual_x87));
    }
    ~DefaultFloatEnvironment() {
        if (__builtin_ia32_stmxcsr() != before_) __builtin_ia32_ldmxcsr(before_);
        if (x87_control_ != usual_x87) __asm__ volatile("fldenv %0" ::"m"(x87_before_));
    }

private:
    // Float and double have their control and flags in one register. Only a long double of the caller's function has
    // to do with the x87.
    const std::uint32_t before_;
    static constexpr std::uint16_t usual_x87 = 0x37f;
    std::uint16_t x87_control_;
    struct {
        std::uint32_t words[7];
    } x87_before_;
#elif defined(__aarch64__)
    DefaultFloatEnvironment() noexcept {
        __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control_), "=r"(flags_)::"memory");
        if (control_ != 0) __asm__ volatile("msr fpcr, xzr" ::: "memory");
    }
    ~DefaultFloatEnvironment() {
        if (control_ != 0) __asm__ volatile("msr fpcr, %0" ::"r"(control_) : "memory");
        __asm__ volatile("msr fpsr, %0" ::"r"(flags_) : "memory");
    }

private:
    std::uint64_t control_, flags_;
#else
    DefaultFloatEnvironment() noexcept {
        std::fegetenv(&before_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloatEnvironment() { std::fesetenv(&before_); }

private:
    std::fenv_t before_;
#endif
};

}  // namespace lanesort::inline v0_1::detail
