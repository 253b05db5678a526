// A network of two blocks whose author says what to keep.
//
//   build/bin/ckpt-run examples/regions.mlir --entry=loss --plan=policy --check
//
// `loss` is an ordinary forward function on tensors. Its first result is the
// loss; ckpt-run asks for the gradients of all its arguments of floats.

#row = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @loss(%x: tensor<32x64xf32>, %w0: tensor<64x256xf32>,
                %b0: tensor<256xf32>, %w1: tensor<256x64xf32>,
                %w2: tensor<64x256xf32>, %b2: tensor<256xf32>,
                %w3: tensor<256x64xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e_wide = tensor.empty() : tensor<32x256xf32>
  %e_narrow = tensor.empty() : tensor<32x64xf32>
  %z_wide = linalg.fill ins(%zero : f32) outs(%e_wide : tensor<32x256xf32>) -> tensor<32x256xf32>
  %z_narrow = linalg.fill ins(%zero : f32) outs(%e_narrow : tensor<32x64xf32>) -> tensor<32x64xf32>

  // A region: its body runs once, here. The policy is a list of rules, of which
  // the first that matches decides, and a default for the rest:
  //  - `must save label "out"`: what is named "out" below is stored, whatever
  //    else a rule might say;
  //  - everything else in the region is recomputed in the backward pass.
  %y0 = ckpt.region "block0"
      policy <[<must save label "out">], default = recompute> {
    // The region uses %x, %w0 and the others from outside as it likes.
    %h = linalg.matmul ins(%x, %w0 : tensor<32x64xf32>, tensor<64x256xf32>)
                       outs(%z_wide : tensor<32x256xf32>) -> tensor<32x256xf32>
    %a = linalg.generic {indexing_maps = [#id, #row, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%h, %b0 : tensor<32x256xf32>, tensor<256xf32>)
        outs(%e_wide : tensor<32x256xf32>) {
    ^bb0(%v: f32, %b: f32, %unused: f32):
      %s = arith.addf %v, %b : f32
      %t = math.tanh %s : f32
      linalg.yield %t : f32
    } -> tensor<32x256xf32>
    %o = linalg.matmul ins(%a, %w1 : tensor<32x256xf32>, tensor<256x64xf32>)
                       outs(%z_narrow : tensor<32x64xf32>) -> tensor<32x64xf32>
    // A name for a value: rules with `label` look at it, and no fusion looks
    // through it.
    %named = ckpt.name %o "out" : tensor<32x64xf32>
    // What the region returns.
    ckpt.yield %named : tensor<32x64xf32>
  } : tensor<32x64xf32>

  // A second block under another policy: `kind` rules go by what an op does
  // (contraction, elementwise, reduction, data_movement, other). Here the wide
  // activations are recomputed and products are stored; `prefer` gives way where
  // a rule cannot be followed, `must` is an error there.
  %y1 = ckpt.region "block1"
      policy <[<prefer save kind "contraction">,
               <prefer recompute kind "elementwise">]> {
    %h = linalg.matmul ins(%y0, %w2 : tensor<32x64xf32>, tensor<64x256xf32>)
                       outs(%z_wide : tensor<32x256xf32>) -> tensor<32x256xf32>
    %a = linalg.generic {indexing_maps = [#id, #row, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%h, %b2 : tensor<32x256xf32>, tensor<256xf32>)
        outs(%e_wide : tensor<32x256xf32>) {
    ^bb0(%v: f32, %b: f32, %unused: f32):
      %s = arith.addf %v, %b : f32
      %t = math.tanh %s : f32
      linalg.yield %t : f32
    } -> tensor<32x256xf32>
    %o = linalg.matmul ins(%a, %w3 : tensor<32x256xf32>, tensor<256x64xf32>)
                       outs(%z_narrow : tensor<32x64xf32>) -> tensor<32x64xf32>
    ckpt.yield %o : tensor<32x64xf32>
  } : tensor<32x64xf32>

  // The loss: the sum of squares.
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>],
                          iterator_types = ["reduction", "reduction"]}
      ins(%y1 : tensor<32x64xf32>) outs(%init : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %square = arith.mulf %v, %v : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
