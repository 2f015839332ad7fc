// EXPECT: static assertion failed|static_assert failed
// LINES: 2
// COMPLAINT: lines of output, more than LINES: 2
#ifdef BACKSTITCH_FAULT
static_assert(false);
#endif
