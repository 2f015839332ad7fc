// EXPECT: no matching function for call to 'f
// COMPLAINT: lines of output, more than LINES: 12
#ifdef BACKSTITCH_FAULT
void f(int*);
void f(int**);
void f(int***);
void f(int****);
void f(int*****);
void g() { f(1.0); }
#endif
