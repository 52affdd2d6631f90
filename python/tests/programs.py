"""Texts of kernels that several tests call."""

DOUBLE = """\
// out = a + a
kernel double[T: f32 bf16 i32](m, n)
  in  a:   T[m, n] hbm
  out out: T[m, n] hbm
{
  pipeline i in m {
    window x = a[i +: 1, 0 +: n]
    window o = out[i +: 1, 0 +: n]
    o = cast(x + x)
  }
}
"""

PASS_RIGHT = """\
kernel pass_right(rows, cols)
  in   a:   f32[rows, cols] hbm
  out  out: f32[rows, cols] hbm
  sem  sent:    bytes
  sem  arrived: bytes
{
  start a -> (device + 1) mod devices: out, sent, arrived
  wait sent for a
  wait arrived for out
}
"""
