// The same decisions without touching the ops: by the scopes that a front end
// leaves in locations.
//
//   build/bin/ckpt-run examples/policy-by-location.mlir --entry=loss --plan=policy --check
//
// JAX writes `loc("jit(f)/layer0/attn/dot_general")`, PyTorch similar names. A
// policy on the function applies to all ops that no region's policy decides. Its
// globs match any of the names in an op's location: `*` any text, slashes too.

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @loss(%x: tensor<64x64xf32>, %wa: tensor<64x64xf32>,
                %wb: tensor<64x64xf32>) -> tensor<f32>
    attributes {ckpt.policy = #ckpt.policy<[
        // What the blocks hand on is stored ...
        <must save location "*/residual">,
        // ... what is inside of them is not.
        <prefer recompute location "*/layer?/*">]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>

  %a0 = linalg.matmul ins(%x, %wa : tensor<64x64xf32>, tensor<64x64xf32>)
                      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32> loc("f/layer0/dot")
  %a1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = math.exp %v : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32> loc("f/layer0/exp")
  %r0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %a1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%u: f32, %v: f32, %unused: f32):
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32> loc("f/layer0/residual")

  %b0 = linalg.matmul ins(%r0, %wb : tensor<64x64xf32>, tensor<64x64xf32>)
                      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32> loc("f/layer1/dot")
  %b1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = math.tanh %v : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32> loc("f/layer1/tanh")

  %es = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, #id, affine_map<(d0, d1) -> ()>],
                          iterator_types = ["reduction", "reduction"]}
      ins(%b1, %r0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<f32>) {
  ^bb0(%u: f32, %v: f32, %sum: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32> loc("f/loss")
  return %loss : tensor<f32>
}
