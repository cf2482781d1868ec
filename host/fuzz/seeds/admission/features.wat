(component
  (core module
    (memory i64 1)
    (func (param v128) (result v128) local.get 0 local.get 0 i8x16.relaxed_swizzle)
    (func (param i32) (result i32) local.get 0 return_call 1)
    (data "x")))
