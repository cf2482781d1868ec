(component
  (import "snodo:plugin/read@0.1.0" (instance (export "read-file" (func (param "path" string) (result bool)))))
  (import "wasi:sockets/tcp@0.2.6" (instance (export "connect" (func (param "port" u16)))))
  (import "wasi:io/error@0.2.6" (instance (export "error" (type (sub resource)))))
  (import "a" (core module (import "x" "y" (func))))
  (import "b" (component))
  (import "locked-dep=<a:b@1.0.0>" (func))
  (import "url=<https://host/x>" (func)))
