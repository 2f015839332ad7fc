// EXPECT: anything
// COMPLAINT: the fault compiles
