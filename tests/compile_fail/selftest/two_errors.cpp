// EXPECT: static assertion failed|static_assert failed
// COMPLAINT: 2 error lines instead of one
#ifdef BACKSTITCH_FAULT
static_assert(false);
static_assert(false);
#endif
