"""The numeric core behind one facade: `facade.Kernels` has the operations, `choice` says which implementation runs."""
