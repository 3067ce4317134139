"""The compiler of `.rep`: names, types, the core calculus, checks, memories and lowering to PyTorch."""
