"""The numeric core for NVIDIA GPUs, in Triton. `kernels.TritonKernels` is the facade; nothing else imports Triton.

No row's bits depend on the batch. Tiles have one size for any number of rows. A long sum (over a product's inputs, over
a context's positions) is cut at fixed places into splits; each is summed in a fixed order, and the splits are added up
in order. Only where a split is computed depends on the batch: beside the others, by a program of its own, or after the
others, by one program for all; whichever keeps the GPU busy. Both take the same steps.

Not there yet: decode steps as CUDA graphs. The kernels are ready for a step that is captured with more rows than there
are sequences (a negative slot is not written, a context of no positions gives zeros, and grids depend on what the host
knows, never on what is on the GPU), but nothing captures one.
"""
