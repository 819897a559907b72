// SPDX-License-Identifier: MIT
// Names that headers of other projects define as macros, so that lanesort's headers cannot have them.

// Unreal Engine and Apple's AssertMacros.h.
#define check(x) broken macro
#define verify(x) broken macro
#define require(x, label) broken macro
#define require_noerr(x, label) broken macro
// windows.h. What is empty there may not be a name here either.
#define near
#define far
#define small char
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define ERROR 0
#define DELETE 0x00010000
#define NO_ERROR 0
#define min(a, b) broken macro
#define max(a, b) broken macro
// X11.
#define Status int
#define Bool int
#define None 0
#define Always 2
#define Success 0
#define True 1
#define False 0
// complex.h, sys/sysmacros.h, Objective-C and glibc of old.
#define I broken macro
#define major(x) broken macro
#define minor(x) broken macro
#define Yes 1
#define No 0
#define YES 1
#define NO 0
#define nil 0
#define dprintf broken macro
// Qt, Boost and the Linux kernel.
#define slots broken macro
#define signals broken macro
#define emit broken macro
#define foreach broken macro
#define forever broken macro
#define likely(x) broken macro
#define unlikely(x) broken macro
// Other projects' own.
#define TRUE 1
#define FALSE 0
#define MIN(a, b) broken macro
#define MAX(a, b) broken macro
#define ABS(x) broken macro
#define LOG(x) broken macro
#define INFO broken macro
#define WARNING broken macro
#define DEBUG broken macro
