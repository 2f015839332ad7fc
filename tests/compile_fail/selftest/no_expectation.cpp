// COMPLAINT: no EXPECT line
#ifdef BACKSTITCH_FAULT
static_assert(false);
#endif
