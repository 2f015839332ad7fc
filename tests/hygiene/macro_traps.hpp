// Names that system headers and widespread libraries define as macros. A header that uses one of
// them as an identifier fails to compile behind this file. The standard headers must come first.
#pragma once

// What is not C++, so that any use stands out.
// clang-format off
#define BACKSTITCH_TRAP @macro_trap@
// clang-format on

// <complex.h>, <sys/sysmacros.h>, <sys/param.h>, <termios.h>, old unix modes
#define I BACKSTITCH_TRAP
#define major BACKSTITCH_TRAP
#define minor BACKSTITCH_TRAP
#define makedev BACKSTITCH_TRAP
#define howmany(x, y) BACKSTITCH_TRAP
#define roundup(x, y) BACKSTITCH_TRAP
#define powerof2(x) BACKSTITCH_TRAP
#define MIN(a, b) BACKSTITCH_TRAP
#define MAX(a, b) BACKSTITCH_TRAP
#define B0 BACKSTITCH_TRAP
#define B50 BACKSTITCH_TRAP
#undef unix
#define unix BACKSTITCH_TRAP
#undef linux
#define linux BACKSTITCH_TRAP

// <windows.h>
#define min(a, b) BACKSTITCH_TRAP
#define max(a, b) BACKSTITCH_TRAP
#define small BACKSTITCH_TRAP
#define near BACKSTITCH_TRAP
#define far BACKSTITCH_TRAP
#define interface BACKSTITCH_TRAP
#define ERROR BACKSTITCH_TRAP
#define DELETE BACKSTITCH_TRAP
#define IN BACKSTITCH_TRAP
#define OUT BACKSTITCH_TRAP
#define OPTIONAL BACKSTITCH_TRAP
#define TRUE BACKSTITCH_TRAP
#define FALSE BACKSTITCH_TRAP
#define CONST BACKSTITCH_TRAP
#define VOID BACKSTITCH_TRAP
#define THIS BACKSTITCH_TRAP
#define STRICT BACKSTITCH_TRAP
#define CALLBACK BACKSTITCH_TRAP
#define RELATIVE BACKSTITCH_TRAP
#define ABSOLUTE BACKSTITCH_TRAP

// X11
#define None BACKSTITCH_TRAP
#define Bool BACKSTITCH_TRAP
#define Status BACKSTITCH_TRAP
#define Success BACKSTITCH_TRAP
#define Always BACKSTITCH_TRAP
#define Above BACKSTITCH_TRAP
#define Below BACKSTITCH_TRAP
#define Complex BACKSTITCH_TRAP

// Qt
#define slots BACKSTITCH_TRAP
#define signals BACKSTITCH_TRAP
#define emit BACKSTITCH_TRAP
#define foreach BACKSTITCH_TRAP
#define forever BACKSTITCH_TRAP

// <AssertMacros.h>, logging libraries
#define check(x) BACKSTITCH_TRAP
#define verify(x) BACKSTITCH_TRAP
#define require(x, label) BACKSTITCH_TRAP
#define CHECK(x) BACKSTITCH_TRAP
#define LOG(x) BACKSTITCH_TRAP
#define DEBUG BACKSTITCH_TRAP
