// RUN: ckpt-opt %s -ckpt-verify-lowered -split-input-file -verify-diagnostics

// (1) Ops that are not LLVM's on the host.
// expected-error @below {{'func.func' op is left on the host of a lowered step}}
func.func @step() {
  return
}

// -----

// (1) A launch that was not lowered.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @fill() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  llvm.func @step() {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    // expected-error @below {{'gpu.launch_func' op is left on the host of a lowered step}}
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64
    llvm.return
  }
}

// -----

// (2) Ops of other dialects in kernels.
gpu.module @kernels {
  llvm.func @fill(%p: f32) attributes {nvvm.kernel} {
    // expected-error @below {{'math.exp' op is left in a lowered kernel}}
    %0 = math.exp %p : f32
    llvm.return
  }
}

// -----

// (3) Shared buffers with the alignment of an element.
gpu.module @kernels {
  // expected-error @below {{is a shared buffer aligned to 4 bytes, not 16}}
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<64 x f32>
}

// -----

gpu.module @kernels {
  // expected-error @below {{is a shared buffer aligned to 0 bytes, not 16}}
  llvm.mlir.global internal @tile() {addr_space = 3 : i32} : !llvm.array<64 x f32>
}

// -----

// (4) Functions that a device does not have.
gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
  // expected-error @below {{is not there on a device}}
  llvm.func @malloc(i64) -> !llvm.ptr
}

// -----

// (5) Too many parameters: 513 pointers.
gpu.module @kernels {
  // expected-error @below {{takes 4104 bytes of parameters, more than 4096}}
  llvm.func @wide(
    %a0: !llvm.ptr, %a1: !llvm.ptr, %a2: !llvm.ptr, %a3: !llvm.ptr, %a4: !llvm.ptr, %a5: !llvm.ptr, %a6: !llvm.ptr, %a7: !llvm.ptr,
    %a8: !llvm.ptr, %a9: !llvm.ptr, %a10: !llvm.ptr, %a11: !llvm.ptr, %a12: !llvm.ptr, %a13: !llvm.ptr, %a14: !llvm.ptr, %a15: !llvm.ptr,
    %a16: !llvm.ptr, %a17: !llvm.ptr, %a18: !llvm.ptr, %a19: !llvm.ptr, %a20: !llvm.ptr, %a21: !llvm.ptr, %a22: !llvm.ptr, %a23: !llvm.ptr,
    %a24: !llvm.ptr, %a25: !llvm.ptr, %a26: !llvm.ptr, %a27: !llvm.ptr, %a28: !llvm.ptr, %a29: !llvm.ptr, %a30: !llvm.ptr, %a31: !llvm.ptr,
    %a32: !llvm.ptr, %a33: !llvm.ptr, %a34: !llvm.ptr, %a35: !llvm.ptr, %a36: !llvm.ptr, %a37: !llvm.ptr, %a38: !llvm.ptr, %a39: !llvm.ptr,
    %a40: !llvm.ptr, %a41: !llvm.ptr, %a42: !llvm.ptr, %a43: !llvm.ptr, %a44: !llvm.ptr, %a45: !llvm.ptr, %a46: !llvm.ptr, %a47: !llvm.ptr,
    %a48: !llvm.ptr, %a49: !llvm.ptr, %a50: !llvm.ptr, %a51: !llvm.ptr, %a52: !llvm.ptr, %a53: !llvm.ptr, %a54: !llvm.ptr, %a55: !llvm.ptr,
    %a56: !llvm.ptr, %a57: !llvm.ptr, %a58: !llvm.ptr, %a59: !llvm.ptr, %a60: !llvm.ptr, %a61: !llvm.ptr, %a62: !llvm.ptr, %a63: !llvm.ptr,
    %a64: !llvm.ptr, %a65: !llvm.ptr, %a66: !llvm.ptr, %a67: !llvm.ptr, %a68: !llvm.ptr, %a69: !llvm.ptr, %a70: !llvm.ptr, %a71: !llvm.ptr,
    %a72: !llvm.ptr, %a73: !llvm.ptr, %a74: !llvm.ptr, %a75: !llvm.ptr, %a76: !llvm.ptr, %a77: !llvm.ptr, %a78: !llvm.ptr, %a79: !llvm.ptr,
    %a80: !llvm.ptr, %a81: !llvm.ptr, %a82: !llvm.ptr, %a83: !llvm.ptr, %a84: !llvm.ptr, %a85: !llvm.ptr, %a86: !llvm.ptr, %a87: !llvm.ptr,
    %a88: !llvm.ptr, %a89: !llvm.ptr, %a90: !llvm.ptr, %a91: !llvm.ptr, %a92: !llvm.ptr, %a93: !llvm.ptr, %a94: !llvm.ptr, %a95: !llvm.ptr,
    %a96: !llvm.ptr, %a97: !llvm.ptr, %a98: !llvm.ptr, %a99: !llvm.ptr, %a100: !llvm.ptr, %a101: !llvm.ptr, %a102: !llvm.ptr, %a103: !llvm.ptr,
    %a104: !llvm.ptr, %a105: !llvm.ptr, %a106: !llvm.ptr, %a107: !llvm.ptr, %a108: !llvm.ptr, %a109: !llvm.ptr, %a110: !llvm.ptr, %a111: !llvm.ptr,
    %a112: !llvm.ptr, %a113: !llvm.ptr, %a114: !llvm.ptr, %a115: !llvm.ptr, %a116: !llvm.ptr, %a117: !llvm.ptr, %a118: !llvm.ptr, %a119: !llvm.ptr,
    %a120: !llvm.ptr, %a121: !llvm.ptr, %a122: !llvm.ptr, %a123: !llvm.ptr, %a124: !llvm.ptr, %a125: !llvm.ptr, %a126: !llvm.ptr, %a127: !llvm.ptr,
    %a128: !llvm.ptr, %a129: !llvm.ptr, %a130: !llvm.ptr, %a131: !llvm.ptr, %a132: !llvm.ptr, %a133: !llvm.ptr, %a134: !llvm.ptr, %a135: !llvm.ptr,
    %a136: !llvm.ptr, %a137: !llvm.ptr, %a138: !llvm.ptr, %a139: !llvm.ptr, %a140: !llvm.ptr, %a141: !llvm.ptr, %a142: !llvm.ptr, %a143: !llvm.ptr,
    %a144: !llvm.ptr, %a145: !llvm.ptr, %a146: !llvm.ptr, %a147: !llvm.ptr, %a148: !llvm.ptr, %a149: !llvm.ptr, %a150: !llvm.ptr, %a151: !llvm.ptr,
    %a152: !llvm.ptr, %a153: !llvm.ptr, %a154: !llvm.ptr, %a155: !llvm.ptr, %a156: !llvm.ptr, %a157: !llvm.ptr, %a158: !llvm.ptr, %a159: !llvm.ptr,
    %a160: !llvm.ptr, %a161: !llvm.ptr, %a162: !llvm.ptr, %a163: !llvm.ptr, %a164: !llvm.ptr, %a165: !llvm.ptr, %a166: !llvm.ptr, %a167: !llvm.ptr,
    %a168: !llvm.ptr, %a169: !llvm.ptr, %a170: !llvm.ptr, %a171: !llvm.ptr, %a172: !llvm.ptr, %a173: !llvm.ptr, %a174: !llvm.ptr, %a175: !llvm.ptr,
    %a176: !llvm.ptr, %a177: !llvm.ptr, %a178: !llvm.ptr, %a179: !llvm.ptr, %a180: !llvm.ptr, %a181: !llvm.ptr, %a182: !llvm.ptr, %a183: !llvm.ptr,
    %a184: !llvm.ptr, %a185: !llvm.ptr, %a186: !llvm.ptr, %a187: !llvm.ptr, %a188: !llvm.ptr, %a189: !llvm.ptr, %a190: !llvm.ptr, %a191: !llvm.ptr,
    %a192: !llvm.ptr, %a193: !llvm.ptr, %a194: !llvm.ptr, %a195: !llvm.ptr, %a196: !llvm.ptr, %a197: !llvm.ptr, %a198: !llvm.ptr, %a199: !llvm.ptr,
    %a200: !llvm.ptr, %a201: !llvm.ptr, %a202: !llvm.ptr, %a203: !llvm.ptr, %a204: !llvm.ptr, %a205: !llvm.ptr, %a206: !llvm.ptr, %a207: !llvm.ptr,
    %a208: !llvm.ptr, %a209: !llvm.ptr, %a210: !llvm.ptr, %a211: !llvm.ptr, %a212: !llvm.ptr, %a213: !llvm.ptr, %a214: !llvm.ptr, %a215: !llvm.ptr,
    %a216: !llvm.ptr, %a217: !llvm.ptr, %a218: !llvm.ptr, %a219: !llvm.ptr, %a220: !llvm.ptr, %a221: !llvm.ptr, %a222: !llvm.ptr, %a223: !llvm.ptr,
    %a224: !llvm.ptr, %a225: !llvm.ptr, %a226: !llvm.ptr, %a227: !llvm.ptr, %a228: !llvm.ptr, %a229: !llvm.ptr, %a230: !llvm.ptr, %a231: !llvm.ptr,
    %a232: !llvm.ptr, %a233: !llvm.ptr, %a234: !llvm.ptr, %a235: !llvm.ptr, %a236: !llvm.ptr, %a237: !llvm.ptr, %a238: !llvm.ptr, %a239: !llvm.ptr,
    %a240: !llvm.ptr, %a241: !llvm.ptr, %a242: !llvm.ptr, %a243: !llvm.ptr, %a244: !llvm.ptr, %a245: !llvm.ptr, %a246: !llvm.ptr, %a247: !llvm.ptr,
    %a248: !llvm.ptr, %a249: !llvm.ptr, %a250: !llvm.ptr, %a251: !llvm.ptr, %a252: !llvm.ptr, %a253: !llvm.ptr, %a254: !llvm.ptr, %a255: !llvm.ptr,
    %a256: !llvm.ptr, %a257: !llvm.ptr, %a258: !llvm.ptr, %a259: !llvm.ptr, %a260: !llvm.ptr, %a261: !llvm.ptr, %a262: !llvm.ptr, %a263: !llvm.ptr,
    %a264: !llvm.ptr, %a265: !llvm.ptr, %a266: !llvm.ptr, %a267: !llvm.ptr, %a268: !llvm.ptr, %a269: !llvm.ptr, %a270: !llvm.ptr, %a271: !llvm.ptr,
    %a272: !llvm.ptr, %a273: !llvm.ptr, %a274: !llvm.ptr, %a275: !llvm.ptr, %a276: !llvm.ptr, %a277: !llvm.ptr, %a278: !llvm.ptr, %a279: !llvm.ptr,
    %a280: !llvm.ptr, %a281: !llvm.ptr, %a282: !llvm.ptr, %a283: !llvm.ptr, %a284: !llvm.ptr, %a285: !llvm.ptr, %a286: !llvm.ptr, %a287: !llvm.ptr,
    %a288: !llvm.ptr, %a289: !llvm.ptr, %a290: !llvm.ptr, %a291: !llvm.ptr, %a292: !llvm.ptr, %a293: !llvm.ptr, %a294: !llvm.ptr, %a295: !llvm.ptr,
    %a296: !llvm.ptr, %a297: !llvm.ptr, %a298: !llvm.ptr, %a299: !llvm.ptr, %a300: !llvm.ptr, %a301: !llvm.ptr, %a302: !llvm.ptr, %a303: !llvm.ptr,
    %a304: !llvm.ptr, %a305: !llvm.ptr, %a306: !llvm.ptr, %a307: !llvm.ptr, %a308: !llvm.ptr, %a309: !llvm.ptr, %a310: !llvm.ptr, %a311: !llvm.ptr,
    %a312: !llvm.ptr, %a313: !llvm.ptr, %a314: !llvm.ptr, %a315: !llvm.ptr, %a316: !llvm.ptr, %a317: !llvm.ptr, %a318: !llvm.ptr, %a319: !llvm.ptr,
    %a320: !llvm.ptr, %a321: !llvm.ptr, %a322: !llvm.ptr, %a323: !llvm.ptr, %a324: !llvm.ptr, %a325: !llvm.ptr, %a326: !llvm.ptr, %a327: !llvm.ptr,
    %a328: !llvm.ptr, %a329: !llvm.ptr, %a330: !llvm.ptr, %a331: !llvm.ptr, %a332: !llvm.ptr, %a333: !llvm.ptr, %a334: !llvm.ptr, %a335: !llvm.ptr,
    %a336: !llvm.ptr, %a337: !llvm.ptr, %a338: !llvm.ptr, %a339: !llvm.ptr, %a340: !llvm.ptr, %a341: !llvm.ptr, %a342: !llvm.ptr, %a343: !llvm.ptr,
    %a344: !llvm.ptr, %a345: !llvm.ptr, %a346: !llvm.ptr, %a347: !llvm.ptr, %a348: !llvm.ptr, %a349: !llvm.ptr, %a350: !llvm.ptr, %a351: !llvm.ptr,
    %a352: !llvm.ptr, %a353: !llvm.ptr, %a354: !llvm.ptr, %a355: !llvm.ptr, %a356: !llvm.ptr, %a357: !llvm.ptr, %a358: !llvm.ptr, %a359: !llvm.ptr,
    %a360: !llvm.ptr, %a361: !llvm.ptr, %a362: !llvm.ptr, %a363: !llvm.ptr, %a364: !llvm.ptr, %a365: !llvm.ptr, %a366: !llvm.ptr, %a367: !llvm.ptr,
    %a368: !llvm.ptr, %a369: !llvm.ptr, %a370: !llvm.ptr, %a371: !llvm.ptr, %a372: !llvm.ptr, %a373: !llvm.ptr, %a374: !llvm.ptr, %a375: !llvm.ptr,
    %a376: !llvm.ptr, %a377: !llvm.ptr, %a378: !llvm.ptr, %a379: !llvm.ptr, %a380: !llvm.ptr, %a381: !llvm.ptr, %a382: !llvm.ptr, %a383: !llvm.ptr,
    %a384: !llvm.ptr, %a385: !llvm.ptr, %a386: !llvm.ptr, %a387: !llvm.ptr, %a388: !llvm.ptr, %a389: !llvm.ptr, %a390: !llvm.ptr, %a391: !llvm.ptr,
    %a392: !llvm.ptr, %a393: !llvm.ptr, %a394: !llvm.ptr, %a395: !llvm.ptr, %a396: !llvm.ptr, %a397: !llvm.ptr, %a398: !llvm.ptr, %a399: !llvm.ptr,
    %a400: !llvm.ptr, %a401: !llvm.ptr, %a402: !llvm.ptr, %a403: !llvm.ptr, %a404: !llvm.ptr, %a405: !llvm.ptr, %a406: !llvm.ptr, %a407: !llvm.ptr,
    %a408: !llvm.ptr, %a409: !llvm.ptr, %a410: !llvm.ptr, %a411: !llvm.ptr, %a412: !llvm.ptr, %a413: !llvm.ptr, %a414: !llvm.ptr, %a415: !llvm.ptr,
    %a416: !llvm.ptr, %a417: !llvm.ptr, %a418: !llvm.ptr, %a419: !llvm.ptr, %a420: !llvm.ptr, %a421: !llvm.ptr, %a422: !llvm.ptr, %a423: !llvm.ptr,
    %a424: !llvm.ptr, %a425: !llvm.ptr, %a426: !llvm.ptr, %a427: !llvm.ptr, %a428: !llvm.ptr, %a429: !llvm.ptr, %a430: !llvm.ptr, %a431: !llvm.ptr,
    %a432: !llvm.ptr, %a433: !llvm.ptr, %a434: !llvm.ptr, %a435: !llvm.ptr, %a436: !llvm.ptr, %a437: !llvm.ptr, %a438: !llvm.ptr, %a439: !llvm.ptr,
    %a440: !llvm.ptr, %a441: !llvm.ptr, %a442: !llvm.ptr, %a443: !llvm.ptr, %a444: !llvm.ptr, %a445: !llvm.ptr, %a446: !llvm.ptr, %a447: !llvm.ptr,
    %a448: !llvm.ptr, %a449: !llvm.ptr, %a450: !llvm.ptr, %a451: !llvm.ptr, %a452: !llvm.ptr, %a453: !llvm.ptr, %a454: !llvm.ptr, %a455: !llvm.ptr,
    %a456: !llvm.ptr, %a457: !llvm.ptr, %a458: !llvm.ptr, %a459: !llvm.ptr, %a460: !llvm.ptr, %a461: !llvm.ptr, %a462: !llvm.ptr, %a463: !llvm.ptr,
    %a464: !llvm.ptr, %a465: !llvm.ptr, %a466: !llvm.ptr, %a467: !llvm.ptr, %a468: !llvm.ptr, %a469: !llvm.ptr, %a470: !llvm.ptr, %a471: !llvm.ptr,
    %a472: !llvm.ptr, %a473: !llvm.ptr, %a474: !llvm.ptr, %a475: !llvm.ptr, %a476: !llvm.ptr, %a477: !llvm.ptr, %a478: !llvm.ptr, %a479: !llvm.ptr,
    %a480: !llvm.ptr, %a481: !llvm.ptr, %a482: !llvm.ptr, %a483: !llvm.ptr, %a484: !llvm.ptr, %a485: !llvm.ptr, %a486: !llvm.ptr, %a487: !llvm.ptr,
    %a488: !llvm.ptr, %a489: !llvm.ptr, %a490: !llvm.ptr, %a491: !llvm.ptr, %a492: !llvm.ptr, %a493: !llvm.ptr, %a494: !llvm.ptr, %a495: !llvm.ptr,
    %a496: !llvm.ptr, %a497: !llvm.ptr, %a498: !llvm.ptr, %a499: !llvm.ptr, %a500: !llvm.ptr, %a501: !llvm.ptr, %a502: !llvm.ptr, %a503: !llvm.ptr,
    %a504: !llvm.ptr, %a505: !llvm.ptr, %a506: !llvm.ptr, %a507: !llvm.ptr, %a508: !llvm.ptr, %a509: !llvm.ptr, %a510: !llvm.ptr, %a511: !llvm.ptr,
    %last: !llvm.ptr) attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

// (6) Arrays in kernels.
gpu.module @kernels {
  llvm.func @fill() attributes {nvvm.kernel} {
    %c64 = llvm.mlir.constant(64 : i64) : i64
    // expected-error @below {{is an allocation in a kernel}}
    %0 = llvm.alloca %c64 x f32 : (i64) -> !llvm.ptr
    llvm.return
  }
}
