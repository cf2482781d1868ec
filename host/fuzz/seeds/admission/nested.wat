(component
  (component $inner
    (core module $m
      (memory (export "memory") 1)
      (table 4 funcref)
      (func (export "f") (result i32) i32.const 1))
    (core instance $a (instantiate $m))
    (core instance $b (instantiate $m))
    (func (export "g") (result u32) (canon lift (core func $a "f"))))
  (instance $one (instantiate $inner))
  (instance $two (instantiate $inner))
  (export "snodo:plugin/coding@0.1.0" (instance $one))
  (export "h" (func $two "g")))
