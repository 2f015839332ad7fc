// EXPECT: static assertion failed|static_assert failed
// COMPLAINT: the twin without BACKSTITCH_FAULT compiles, but not silently
#ifdef BACKSTITCH_FAULT
static_assert(false);
#else
#pragma GCC warning "noise"
#endif
