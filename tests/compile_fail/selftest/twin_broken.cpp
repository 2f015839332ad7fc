// EXPECT: static assertion failed|static_assert failed
// COMPLAINT: the twin without BACKSTITCH_FAULT does not compile
#ifdef BACKSTITCH_FAULT
static_assert(false);
#else
missing_type x;
#endif
