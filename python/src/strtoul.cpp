// SPDX-License-Identifier: MIT
// libstdc++'s archive, where it was built on glibc 2.38 or newer, calls strtoul by a name that older ones have not. It
// reads numbers of digits alone, which is the same by either name, so the module runs on the older ones, too.

extern "C" {
unsigned long strtoul_of_any_glibc(const char* text, char** end, int base) __asm__("strtoul");
unsigned long __isoc23_strtoul(const char* text, char** end, int base);
}

unsigned long __isoc23_strtoul(const char* text, char** end, int base) { return strtoul_of_any_glibc(text, end, base); }
