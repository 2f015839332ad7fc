// EXPECT: static assertion failed|static_assert failed
// COMPLAINT: the first error line does not match EXPECT: static assertion failed|static_assert failed
// The line that matches is the second one.
#ifdef BACKSTITCH_FAULT
missing_type x;
static_assert(false);
#endif
