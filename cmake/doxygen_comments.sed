# Plain comments become Doxygen's: the first block of a file is about the file, a line above a
# declaration is about what follows, one behind it about what stands there.
1s|^// |/// @file\n/// |
s|^( *)//( .*)?$|\1///\2|
s|([;,{}]) +// |\1 ///< |
