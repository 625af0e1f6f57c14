"""The facade on the CPU in our own C++: exact to the bit in every batch, chunking, block placement and thread count.

`native` holds the source, `build` compiles it, `levels` knows the instruction sets, `library` loads what was compiled,
`kernels` checks arguments and calls it. `build` and `levels` import nothing but the standard library: the wheel's build
hook uses them.
"""
