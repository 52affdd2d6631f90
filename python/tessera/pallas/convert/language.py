"""Words that the language got for imported kernels; what is missing is refused by name."""

#: Operators of tiles and numbers that are calls of one word: jax's primitive and ours.
FUNCTIONS = {"exp": "exp", "log": "log", "tanh": "tanh", "erf": "erf", "rsqrt": "rsqrt", "abs": "abs"}
#: Whether `bit_and(a, b)` and its like, `truncate(x, i32)`, `sum(x, dim)`, `reshape(x, ...)`, `while` exist.
BITS = False
TRUNCATE = False
REDUCTIONS = False
RESHAPE = False
WHILE = False
VIEWS = False
