// RUN: ckpt-opt %s -ckpt-outline-kernels -split-input-file -verify-diagnostics

// expected-error @below {{must have contiguous buffers of static shape as arguments, not 'memref<?xf32>'}}
func.func @dynamic(%arena: memref<0xi8>, %x: memref<?xf32>) {
  return
}

// -----

// expected-error @below {{must have one block to become kernel launches}}
func.func @blocks(%arena: memref<0xi8>) {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @allocation(%arena: memref<0xi8>, %x: memref<4xf32>) {
  // expected-error @below {{cannot run as a kernel}}
  %0 = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)
  return
}

// -----

func.func @choice(%arena: memref<0xi8>, %x: memref<4xf32>, %y: memref<4xf32>) {
  %true = arith.constant true
  // expected-note @below {{it is made here}}
  %0 = arith.select %true, %x, %y : memref<4xf32>
  // expected-error @below {{uses memory that is neither in the arena nor the caller's}}
  linalg.exp ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)
  return
}

// -----

func.func @offset(%arena: memref<256xi8>, %x: memref<4xf32>, %n: memref<index>) {
  %0 = memref.load %n[] : memref<index>
  %1 = memref.view %arena[%0][] : memref<256xi8> to memref<4xf32>
  // expected-error @below {{needs buffers at constant offsets of an arena that is a function argument}}
  linalg.exp ins(%x : memref<4xf32>) outs(%1 : memref<4xf32>)
  return
}

// -----

func.func @loop(%arena: memref<0xi8>, %x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{cannot run as a kernel}}
  scf.for %i = %c0 to %c1 step %c1 {
    linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
  return
}

// -----

func.func @tensors(%arena: memref<0xi8>) {
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{must be on buffers to become a kernel}}
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @softmax(%arena: memref<0xi8>, %x: memref<4x4xf32>) {
  // expected-error @below {{cannot run as a kernel}}
  linalg.softmax dimension(1) ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @map(%arena: memref<0xi8>, %x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @below {{has an indexing map that is not linear: affine_map<(d0) -> (d0 floordiv 2)>}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @type(%arena: memref<0xi8>, %x: memref<4xcomplex<f32>>) {
  // expected-error @below {{has elements of a type that kernels cannot store: 'complex<f32>'}}
  memref.copy %x, %x : memref<4xcomplex<f32>> to memref<4xcomplex<f32>>
  return
}

// -----

func.func @race(%arena: memref<0xi8>, %x: memref<4x8xf32>, %y: memref<4xf32>) {
  // expected-error @below {{writes one element in several iterations of a parallel loop}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @effects(%arena: memref<0xi8>, %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{has a payload that kernels cannot run: memref.store}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%y : memref<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    memref.store %o, %x[%i] : memref<4xf32>
    linalg.yield %o : f32
  }
  return
}

// -----

// A scalar's memory must live until the kernel that loads it.
func.func @overwritten(%arena: memref<256xi8>, %x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %s = memref.view %arena[%c0][] : memref<256xi8> to memref<f32>
  %t = memref.view %arena[%c0][] : memref<256xi8> to memref<4xf32>
  // expected-note @below {{the scalar is loaded here}}
  %0 = memref.load %s[] : memref<f32>
  // expected-note @below {{the memory is overwritten here}}
  linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  // expected-error @below {{uses a scalar whose memory is overwritten before this op runs}}
  linalg.fill ins(%0 : f32) outs(%x : memref<4xf32>)
  return
}

// -----

func.func private @f() -> f32
func.func @call(%arena: memref<0xi8>, %x: memref<4xf32>) {
  // expected-error @below {{cannot run as a kernel}}
  %0 = func.call @f() : () -> f32
  linalg.fill ins(%0 : f32) outs(%x : memref<4xf32>)
  return
}

// -----

memref.global "private" @variable : memref<4xf32> = uninitialized
func.func @global(%arena: memref<0xi8>, %x: memref<4xf32>) {
  %0 = memref.get_global @variable : memref<4xf32>
  // expected-error @below {{reads a global without a constant value}}
  memref.copy %0, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @space(%arena: memref<0xi8>, %x: memref<4xf32, 1>) {
  // expected-error @below {{needs buffers in the default memory space, not 'memref<4xf32, 1>'}}
  linalg.exp ins(%x : memref<4xf32, 1>) outs(%x : memref<4xf32, 1>)
  return
}

// -----

func.func @transposeInPlace(%arena: memref<0xi8>, %x: memref<4x4xf32>) {
  // expected-error @below {{reads elements of a result that other iterations write}}
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>) permutation = [1, 0]
  return
}

// -----

func.func @gatherInPlace(%arena: memref<0xi8>, %i: memref<4xindex>, %x: memref<4xf32>) {
  // expected-error @below {{reads elements of a result that other iterations write}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%i : memref<4xindex>) outs(%x : memref<4xf32>) {
  ^bb0(%a: index, %o: f32):
    %v = memref.load %x[%a] : memref<4xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

func.func @nestedCheck(%arena: memref<0xi8>, %x: memref<4xi1>) {
  // expected-error @below {{has a payload that kernels cannot run: cf.assert}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%x : memref<4xi1>) {
  ^bb0(%o: i1):
    scf.if %o {
      cf.assert %o, "nested"
    }
    linalg.yield %o : i1
  }
  return
}

// -----

func.func @differentLoops(%arena: memref<0xi8>, %x: memref<4x8xf32>, %y: memref<8xf32>) {
  // expected-error @below {{reduces its results over different loops}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
                  iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<4x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @bytes(%arena: memref<0xi8>, %x: memref<4611686018427387904xf64>) {
  %c = arith.constant 0.0 : f64
  // expected-error @below {{has a buffer of more bytes than can be addressed: 'memref<4611686018427387904xf64>'}}
  linalg.fill ins(%c : f64) outs(%x : memref<4611686018427387904xf64>)
  return
}

// -----

func.func @iterations(%arena: memref<0xi8>, %x: memref<1099511627776xi8>, %y: memref<1099511627776xi8>, %z: memref<i8>) {
  // expected-error @below {{has more iterations than can be counted}}
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>,
                                   affine_map<(d0, d1) -> ()>],
                  iterator_types = ["reduction", "reduction"]}
      ins(%x, %y : memref<1099511627776xi8>, memref<1099511627776xi8>) outs(%z : memref<i8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %0 = arith.addi %a, %b : i8
    %1 = arith.addi %0, %o : i8
    linalg.yield %1 : i8
  }
  return
}

// -----

// More blocks than a grid can have.
func.func @grid(%arena: memref<0xi8>, %x: memref<2199023255552xf64>) {
  %c = arith.constant 0.0 : f64
  // expected-error @below {{the kernel needs 4294967296 blocks, more than a grid can have}}
  linalg.fill ins(%c : f64) outs(%x : memref<2199023255552xf64>)
  return
}

// -----

// More buffers than a launch can pass.
func.func @parameters(%arena: memref<0xi8>,
    %x0: memref<f32>, %x1: memref<f32>, %x2: memref<f32>, %x3: memref<f32>, %x4: memref<f32>, %x5: memref<f32>, %x6: memref<f32>, %x7: memref<f32>, %x8: memref<f32>,
    %x9: memref<f32>, %x10: memref<f32>, %x11: memref<f32>, %x12: memref<f32>, %x13: memref<f32>, %x14: memref<f32>, %x15: memref<f32>, %x16: memref<f32>, %x17: memref<f32>,
    %x18: memref<f32>, %x19: memref<f32>, %x20: memref<f32>, %x21: memref<f32>, %x22: memref<f32>, %x23: memref<f32>, %x24: memref<f32>, %x25: memref<f32>, %x26: memref<f32>,
    %x27: memref<f32>, %x28: memref<f32>, %x29: memref<f32>, %x30: memref<f32>, %x31: memref<f32>, %x32: memref<f32>, %x33: memref<f32>, %x34: memref<f32>, %x35: memref<f32>,
    %x36: memref<f32>, %x37: memref<f32>, %x38: memref<f32>, %x39: memref<f32>, %x40: memref<f32>, %x41: memref<f32>, %x42: memref<f32>, %x43: memref<f32>, %x44: memref<f32>,
    %x45: memref<f32>, %x46: memref<f32>, %x47: memref<f32>, %x48: memref<f32>, %x49: memref<f32>, %x50: memref<f32>, %x51: memref<f32>, %x52: memref<f32>, %x53: memref<f32>,
    %x54: memref<f32>, %x55: memref<f32>, %x56: memref<f32>, %x57: memref<f32>, %x58: memref<f32>, %x59: memref<f32>, %x60: memref<f32>, %x61: memref<f32>, %x62: memref<f32>,
    %x63: memref<f32>, %x64: memref<f32>, %x65: memref<f32>, %x66: memref<f32>, %x67: memref<f32>, %x68: memref<f32>, %x69: memref<f32>, %x70: memref<f32>, %x71: memref<f32>,
    %x72: memref<f32>, %x73: memref<f32>, %x74: memref<f32>, %x75: memref<f32>, %x76: memref<f32>, %x77: memref<f32>, %x78: memref<f32>, %x79: memref<f32>, %x80: memref<f32>,
    %x81: memref<f32>, %x82: memref<f32>, %x83: memref<f32>, %x84: memref<f32>, %x85: memref<f32>, %x86: memref<f32>, %x87: memref<f32>, %x88: memref<f32>, %x89: memref<f32>,
    %x90: memref<f32>, %x91: memref<f32>, %x92: memref<f32>, %x93: memref<f32>, %x94: memref<f32>, %x95: memref<f32>, %x96: memref<f32>, %x97: memref<f32>, %x98: memref<f32>,
    %x99: memref<f32>, %x100: memref<f32>, %x101: memref<f32>, %x102: memref<f32>, %x103: memref<f32>, %x104: memref<f32>, %x105: memref<f32>, %x106: memref<f32>, %x107: memref<f32>,
    %x108: memref<f32>, %x109: memref<f32>, %x110: memref<f32>, %x111: memref<f32>, %x112: memref<f32>, %x113: memref<f32>, %x114: memref<f32>, %x115: memref<f32>, %x116: memref<f32>,
    %x117: memref<f32>, %x118: memref<f32>, %x119: memref<f32>, %x120: memref<f32>, %x121: memref<f32>, %x122: memref<f32>, %x123: memref<f32>, %x124: memref<f32>, %x125: memref<f32>,
    %x126: memref<f32>, %x127: memref<f32>, %x128: memref<f32>, %x129: memref<f32>, %x130: memref<f32>, %x131: memref<f32>, %x132: memref<f32>, %x133: memref<f32>, %x134: memref<f32>,
    %x135: memref<f32>, %x136: memref<f32>, %x137: memref<f32>, %x138: memref<f32>, %x139: memref<f32>, %x140: memref<f32>, %x141: memref<f32>, %x142: memref<f32>, %x143: memref<f32>,
    %x144: memref<f32>, %x145: memref<f32>, %x146: memref<f32>, %x147: memref<f32>, %x148: memref<f32>, %x149: memref<f32>, %x150: memref<f32>, %x151: memref<f32>, %x152: memref<f32>,
    %x153: memref<f32>, %x154: memref<f32>, %x155: memref<f32>, %x156: memref<f32>, %x157: memref<f32>, %x158: memref<f32>, %x159: memref<f32>, %x160: memref<f32>, %x161: memref<f32>,
    %x162: memref<f32>, %x163: memref<f32>, %x164: memref<f32>, %x165: memref<f32>, %x166: memref<f32>, %x167: memref<f32>, %x168: memref<f32>, %x169: memref<f32>, %x170: memref<f32>,
    %x171: memref<f32>, %x172: memref<f32>, %x173: memref<f32>, %x174: memref<f32>, %x175: memref<f32>, %x176: memref<f32>, %x177: memref<f32>, %x178: memref<f32>, %x179: memref<f32>,
    %x180: memref<f32>, %x181: memref<f32>, %x182: memref<f32>, %x183: memref<f32>, %x184: memref<f32>, %x185: memref<f32>, %x186: memref<f32>, %x187: memref<f32>, %x188: memref<f32>,
    %x189: memref<f32>, %x190: memref<f32>, %x191: memref<f32>, %x192: memref<f32>, %x193: memref<f32>, %x194: memref<f32>, %x195: memref<f32>, %x196: memref<f32>, %x197: memref<f32>,
    %x198: memref<f32>, %x199: memref<f32>, %x200: memref<f32>, %x201: memref<f32>, %x202: memref<f32>, %x203: memref<f32>, %x204: memref<f32>, %x205: memref<f32>, %x206: memref<f32>,
    %x207: memref<f32>, %x208: memref<f32>, %x209: memref<f32>, %x210: memref<f32>, %x211: memref<f32>, %x212: memref<f32>, %x213: memref<f32>, %x214: memref<f32>, %x215: memref<f32>,
    %x216: memref<f32>, %x217: memref<f32>, %x218: memref<f32>, %x219: memref<f32>, %x220: memref<f32>, %x221: memref<f32>, %x222: memref<f32>, %x223: memref<f32>, %x224: memref<f32>,
    %x225: memref<f32>, %x226: memref<f32>, %x227: memref<f32>, %x228: memref<f32>, %x229: memref<f32>, %x230: memref<f32>, %x231: memref<f32>, %x232: memref<f32>, %x233: memref<f32>,
    %x234: memref<f32>, %x235: memref<f32>, %x236: memref<f32>, %x237: memref<f32>, %x238: memref<f32>, %x239: memref<f32>, %x240: memref<f32>, %x241: memref<f32>, %x242: memref<f32>,
    %x243: memref<f32>, %x244: memref<f32>, %x245: memref<f32>, %x246: memref<f32>, %x247: memref<f32>, %x248: memref<f32>, %x249: memref<f32>, %x250: memref<f32>, %x251: memref<f32>,
    %x252: memref<f32>, %x253: memref<f32>, %x254: memref<f32>, %x255: memref<f32>, %x256: memref<f32>, %x257: memref<f32>, %x258: memref<f32>, %x259: memref<f32>, %x260: memref<f32>,
    %x261: memref<f32>, %x262: memref<f32>, %x263: memref<f32>, %x264: memref<f32>, %x265: memref<f32>, %x266: memref<f32>, %x267: memref<f32>, %x268: memref<f32>, %x269: memref<f32>,
    %x270: memref<f32>, %x271: memref<f32>, %x272: memref<f32>, %x273: memref<f32>, %x274: memref<f32>, %x275: memref<f32>, %x276: memref<f32>, %x277: memref<f32>, %x278: memref<f32>,
    %x279: memref<f32>, %x280: memref<f32>, %x281: memref<f32>, %x282: memref<f32>, %x283: memref<f32>, %x284: memref<f32>, %x285: memref<f32>, %x286: memref<f32>, %x287: memref<f32>,
    %x288: memref<f32>, %x289: memref<f32>, %x290: memref<f32>, %x291: memref<f32>, %x292: memref<f32>, %x293: memref<f32>, %x294: memref<f32>, %x295: memref<f32>, %x296: memref<f32>,
    %x297: memref<f32>, %x298: memref<f32>, %x299: memref<f32>, %x300: memref<f32>, %x301: memref<f32>, %x302: memref<f32>, %x303: memref<f32>, %x304: memref<f32>, %x305: memref<f32>,
    %x306: memref<f32>, %x307: memref<f32>, %x308: memref<f32>, %x309: memref<f32>, %x310: memref<f32>, %x311: memref<f32>, %x312: memref<f32>, %x313: memref<f32>, %x314: memref<f32>,
    %x315: memref<f32>, %x316: memref<f32>, %x317: memref<f32>, %x318: memref<f32>, %x319: memref<f32>, %x320: memref<f32>, %x321: memref<f32>, %x322: memref<f32>, %x323: memref<f32>,
    %x324: memref<f32>, %x325: memref<f32>, %x326: memref<f32>, %x327: memref<f32>, %x328: memref<f32>, %x329: memref<f32>, %x330: memref<f32>, %x331: memref<f32>, %x332: memref<f32>,
    %x333: memref<f32>, %x334: memref<f32>, %x335: memref<f32>, %x336: memref<f32>, %x337: memref<f32>, %x338: memref<f32>, %x339: memref<f32>, %x340: memref<f32>, %x341: memref<f32>,
    %x342: memref<f32>, %x343: memref<f32>, %x344: memref<f32>, %x345: memref<f32>, %x346: memref<f32>, %x347: memref<f32>, %x348: memref<f32>, %x349: memref<f32>, %x350: memref<f32>,
    %x351: memref<f32>, %x352: memref<f32>, %x353: memref<f32>, %x354: memref<f32>, %x355: memref<f32>, %x356: memref<f32>, %x357: memref<f32>, %x358: memref<f32>, %x359: memref<f32>,
    %x360: memref<f32>, %x361: memref<f32>, %x362: memref<f32>, %x363: memref<f32>, %x364: memref<f32>, %x365: memref<f32>, %x366: memref<f32>, %x367: memref<f32>, %x368: memref<f32>,
    %x369: memref<f32>, %x370: memref<f32>, %x371: memref<f32>, %x372: memref<f32>, %x373: memref<f32>, %x374: memref<f32>, %x375: memref<f32>, %x376: memref<f32>, %x377: memref<f32>,
    %x378: memref<f32>, %x379: memref<f32>, %x380: memref<f32>, %x381: memref<f32>, %x382: memref<f32>, %x383: memref<f32>, %x384: memref<f32>, %x385: memref<f32>, %x386: memref<f32>,
    %x387: memref<f32>, %x388: memref<f32>, %x389: memref<f32>, %x390: memref<f32>, %x391: memref<f32>, %x392: memref<f32>, %x393: memref<f32>, %x394: memref<f32>, %x395: memref<f32>,
    %x396: memref<f32>, %x397: memref<f32>, %x398: memref<f32>, %x399: memref<f32>, %x400: memref<f32>, %x401: memref<f32>, %x402: memref<f32>, %x403: memref<f32>, %x404: memref<f32>,
    %x405: memref<f32>, %x406: memref<f32>, %x407: memref<f32>, %x408: memref<f32>, %x409: memref<f32>, %x410: memref<f32>, %x411: memref<f32>, %x412: memref<f32>, %x413: memref<f32>,
    %x414: memref<f32>, %x415: memref<f32>, %x416: memref<f32>, %x417: memref<f32>, %x418: memref<f32>, %x419: memref<f32>, %x420: memref<f32>, %x421: memref<f32>, %x422: memref<f32>,
    %x423: memref<f32>, %x424: memref<f32>, %x425: memref<f32>, %x426: memref<f32>, %x427: memref<f32>, %x428: memref<f32>, %x429: memref<f32>, %x430: memref<f32>, %x431: memref<f32>,
    %x432: memref<f32>, %x433: memref<f32>, %x434: memref<f32>, %x435: memref<f32>, %x436: memref<f32>, %x437: memref<f32>, %x438: memref<f32>, %x439: memref<f32>, %x440: memref<f32>,
    %x441: memref<f32>, %x442: memref<f32>, %x443: memref<f32>, %x444: memref<f32>, %x445: memref<f32>, %x446: memref<f32>, %x447: memref<f32>, %x448: memref<f32>, %x449: memref<f32>,
    %x450: memref<f32>, %x451: memref<f32>, %x452: memref<f32>, %x453: memref<f32>, %x454: memref<f32>, %x455: memref<f32>, %x456: memref<f32>, %x457: memref<f32>, %x458: memref<f32>,
    %x459: memref<f32>, %x460: memref<f32>, %x461: memref<f32>, %x462: memref<f32>, %x463: memref<f32>, %x464: memref<f32>, %x465: memref<f32>, %x466: memref<f32>, %x467: memref<f32>,
    %x468: memref<f32>, %x469: memref<f32>, %x470: memref<f32>, %x471: memref<f32>, %x472: memref<f32>, %x473: memref<f32>, %x474: memref<f32>, %x475: memref<f32>, %x476: memref<f32>,
    %x477: memref<f32>, %x478: memref<f32>, %x479: memref<f32>, %x480: memref<f32>, %x481: memref<f32>, %x482: memref<f32>, %x483: memref<f32>, %x484: memref<f32>, %x485: memref<f32>,
    %x486: memref<f32>, %x487: memref<f32>, %x488: memref<f32>, %x489: memref<f32>, %x490: memref<f32>, %x491: memref<f32>, %x492: memref<f32>, %x493: memref<f32>, %x494: memref<f32>,
    %x495: memref<f32>, %x496: memref<f32>, %x497: memref<f32>, %x498: memref<f32>, %x499: memref<f32>, %x500: memref<f32>, %x501: memref<f32>, %x502: memref<f32>, %x503: memref<f32>,
    %x504: memref<f32>, %x505: memref<f32>, %x506: memref<f32>, %x507: memref<f32>, %x508: memref<f32>, %x509: memref<f32>, %x510: memref<f32>, %x511: memref<f32>, %x512: memref<f32>) {
  // expected-error @below {{the kernel needs 513 buffers, more than the 512 that a launch can pass}}
  linalg.generic {indexing_maps = [
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
    affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                  iterator_types = []}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8,
    %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16, %x17,
    %x18, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26,
    %x27, %x28, %x29, %x30, %x31, %x32, %x33, %x34, %x35,
    %x36, %x37, %x38, %x39, %x40, %x41, %x42, %x43, %x44,
    %x45, %x46, %x47, %x48, %x49, %x50, %x51, %x52, %x53,
    %x54, %x55, %x56, %x57, %x58, %x59, %x60, %x61, %x62,
    %x63, %x64, %x65, %x66, %x67, %x68, %x69, %x70, %x71,
    %x72, %x73, %x74, %x75, %x76, %x77, %x78, %x79, %x80,
    %x81, %x82, %x83, %x84, %x85, %x86, %x87, %x88, %x89,
    %x90, %x91, %x92, %x93, %x94, %x95, %x96, %x97, %x98,
    %x99, %x100, %x101, %x102, %x103, %x104, %x105, %x106, %x107,
    %x108, %x109, %x110, %x111, %x112, %x113, %x114, %x115, %x116,
    %x117, %x118, %x119, %x120, %x121, %x122, %x123, %x124, %x125,
    %x126, %x127, %x128, %x129, %x130, %x131, %x132, %x133, %x134,
    %x135, %x136, %x137, %x138, %x139, %x140, %x141, %x142, %x143,
    %x144, %x145, %x146, %x147, %x148, %x149, %x150, %x151, %x152,
    %x153, %x154, %x155, %x156, %x157, %x158, %x159, %x160, %x161,
    %x162, %x163, %x164, %x165, %x166, %x167, %x168, %x169, %x170,
    %x171, %x172, %x173, %x174, %x175, %x176, %x177, %x178, %x179,
    %x180, %x181, %x182, %x183, %x184, %x185, %x186, %x187, %x188,
    %x189, %x190, %x191, %x192, %x193, %x194, %x195, %x196, %x197,
    %x198, %x199, %x200, %x201, %x202, %x203, %x204, %x205, %x206,
    %x207, %x208, %x209, %x210, %x211, %x212, %x213, %x214, %x215,
    %x216, %x217, %x218, %x219, %x220, %x221, %x222, %x223, %x224,
    %x225, %x226, %x227, %x228, %x229, %x230, %x231, %x232, %x233,
    %x234, %x235, %x236, %x237, %x238, %x239, %x240, %x241, %x242,
    %x243, %x244, %x245, %x246, %x247, %x248, %x249, %x250, %x251,
    %x252, %x253, %x254, %x255, %x256, %x257, %x258, %x259, %x260,
    %x261, %x262, %x263, %x264, %x265, %x266, %x267, %x268, %x269,
    %x270, %x271, %x272, %x273, %x274, %x275, %x276, %x277, %x278,
    %x279, %x280, %x281, %x282, %x283, %x284, %x285, %x286, %x287,
    %x288, %x289, %x290, %x291, %x292, %x293, %x294, %x295, %x296,
    %x297, %x298, %x299, %x300, %x301, %x302, %x303, %x304, %x305,
    %x306, %x307, %x308, %x309, %x310, %x311, %x312, %x313, %x314,
    %x315, %x316, %x317, %x318, %x319, %x320, %x321, %x322, %x323,
    %x324, %x325, %x326, %x327, %x328, %x329, %x330, %x331, %x332,
    %x333, %x334, %x335, %x336, %x337, %x338, %x339, %x340, %x341,
    %x342, %x343, %x344, %x345, %x346, %x347, %x348, %x349, %x350,
    %x351, %x352, %x353, %x354, %x355, %x356, %x357, %x358, %x359,
    %x360, %x361, %x362, %x363, %x364, %x365, %x366, %x367, %x368,
    %x369, %x370, %x371, %x372, %x373, %x374, %x375, %x376, %x377,
    %x378, %x379, %x380, %x381, %x382, %x383, %x384, %x385, %x386,
    %x387, %x388, %x389, %x390, %x391, %x392, %x393, %x394, %x395,
    %x396, %x397, %x398, %x399, %x400, %x401, %x402, %x403, %x404,
    %x405, %x406, %x407, %x408, %x409, %x410, %x411, %x412, %x413,
    %x414, %x415, %x416, %x417, %x418, %x419, %x420, %x421, %x422,
    %x423, %x424, %x425, %x426, %x427, %x428, %x429, %x430, %x431,
    %x432, %x433, %x434, %x435, %x436, %x437, %x438, %x439, %x440,
    %x441, %x442, %x443, %x444, %x445, %x446, %x447, %x448, %x449,
    %x450, %x451, %x452, %x453, %x454, %x455, %x456, %x457, %x458,
    %x459, %x460, %x461, %x462, %x463, %x464, %x465, %x466, %x467,
    %x468, %x469, %x470, %x471, %x472, %x473, %x474, %x475, %x476,
    %x477, %x478, %x479, %x480, %x481, %x482, %x483, %x484, %x485,
    %x486, %x487, %x488, %x489, %x490, %x491, %x492, %x493, %x494,
    %x495, %x496, %x497, %x498, %x499, %x500, %x501, %x502, %x503,
    %x504, %x505, %x506, %x507, %x508, %x509, %x510, %x511 :
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>,
    memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<f32>)
      outs(%x512 : memref<f32>) {
  ^bb0(
    %a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32,
    %a9: f32, %a10: f32, %a11: f32, %a12: f32, %a13: f32, %a14: f32, %a15: f32, %a16: f32, %a17: f32,
    %a18: f32, %a19: f32, %a20: f32, %a21: f32, %a22: f32, %a23: f32, %a24: f32, %a25: f32, %a26: f32,
    %a27: f32, %a28: f32, %a29: f32, %a30: f32, %a31: f32, %a32: f32, %a33: f32, %a34: f32, %a35: f32,
    %a36: f32, %a37: f32, %a38: f32, %a39: f32, %a40: f32, %a41: f32, %a42: f32, %a43: f32, %a44: f32,
    %a45: f32, %a46: f32, %a47: f32, %a48: f32, %a49: f32, %a50: f32, %a51: f32, %a52: f32, %a53: f32,
    %a54: f32, %a55: f32, %a56: f32, %a57: f32, %a58: f32, %a59: f32, %a60: f32, %a61: f32, %a62: f32,
    %a63: f32, %a64: f32, %a65: f32, %a66: f32, %a67: f32, %a68: f32, %a69: f32, %a70: f32, %a71: f32,
    %a72: f32, %a73: f32, %a74: f32, %a75: f32, %a76: f32, %a77: f32, %a78: f32, %a79: f32, %a80: f32,
    %a81: f32, %a82: f32, %a83: f32, %a84: f32, %a85: f32, %a86: f32, %a87: f32, %a88: f32, %a89: f32,
    %a90: f32, %a91: f32, %a92: f32, %a93: f32, %a94: f32, %a95: f32, %a96: f32, %a97: f32, %a98: f32,
    %a99: f32, %a100: f32, %a101: f32, %a102: f32, %a103: f32, %a104: f32, %a105: f32, %a106: f32, %a107: f32,
    %a108: f32, %a109: f32, %a110: f32, %a111: f32, %a112: f32, %a113: f32, %a114: f32, %a115: f32, %a116: f32,
    %a117: f32, %a118: f32, %a119: f32, %a120: f32, %a121: f32, %a122: f32, %a123: f32, %a124: f32, %a125: f32,
    %a126: f32, %a127: f32, %a128: f32, %a129: f32, %a130: f32, %a131: f32, %a132: f32, %a133: f32, %a134: f32,
    %a135: f32, %a136: f32, %a137: f32, %a138: f32, %a139: f32, %a140: f32, %a141: f32, %a142: f32, %a143: f32,
    %a144: f32, %a145: f32, %a146: f32, %a147: f32, %a148: f32, %a149: f32, %a150: f32, %a151: f32, %a152: f32,
    %a153: f32, %a154: f32, %a155: f32, %a156: f32, %a157: f32, %a158: f32, %a159: f32, %a160: f32, %a161: f32,
    %a162: f32, %a163: f32, %a164: f32, %a165: f32, %a166: f32, %a167: f32, %a168: f32, %a169: f32, %a170: f32,
    %a171: f32, %a172: f32, %a173: f32, %a174: f32, %a175: f32, %a176: f32, %a177: f32, %a178: f32, %a179: f32,
    %a180: f32, %a181: f32, %a182: f32, %a183: f32, %a184: f32, %a185: f32, %a186: f32, %a187: f32, %a188: f32,
    %a189: f32, %a190: f32, %a191: f32, %a192: f32, %a193: f32, %a194: f32, %a195: f32, %a196: f32, %a197: f32,
    %a198: f32, %a199: f32, %a200: f32, %a201: f32, %a202: f32, %a203: f32, %a204: f32, %a205: f32, %a206: f32,
    %a207: f32, %a208: f32, %a209: f32, %a210: f32, %a211: f32, %a212: f32, %a213: f32, %a214: f32, %a215: f32,
    %a216: f32, %a217: f32, %a218: f32, %a219: f32, %a220: f32, %a221: f32, %a222: f32, %a223: f32, %a224: f32,
    %a225: f32, %a226: f32, %a227: f32, %a228: f32, %a229: f32, %a230: f32, %a231: f32, %a232: f32, %a233: f32,
    %a234: f32, %a235: f32, %a236: f32, %a237: f32, %a238: f32, %a239: f32, %a240: f32, %a241: f32, %a242: f32,
    %a243: f32, %a244: f32, %a245: f32, %a246: f32, %a247: f32, %a248: f32, %a249: f32, %a250: f32, %a251: f32,
    %a252: f32, %a253: f32, %a254: f32, %a255: f32, %a256: f32, %a257: f32, %a258: f32, %a259: f32, %a260: f32,
    %a261: f32, %a262: f32, %a263: f32, %a264: f32, %a265: f32, %a266: f32, %a267: f32, %a268: f32, %a269: f32,
    %a270: f32, %a271: f32, %a272: f32, %a273: f32, %a274: f32, %a275: f32, %a276: f32, %a277: f32, %a278: f32,
    %a279: f32, %a280: f32, %a281: f32, %a282: f32, %a283: f32, %a284: f32, %a285: f32, %a286: f32, %a287: f32,
    %a288: f32, %a289: f32, %a290: f32, %a291: f32, %a292: f32, %a293: f32, %a294: f32, %a295: f32, %a296: f32,
    %a297: f32, %a298: f32, %a299: f32, %a300: f32, %a301: f32, %a302: f32, %a303: f32, %a304: f32, %a305: f32,
    %a306: f32, %a307: f32, %a308: f32, %a309: f32, %a310: f32, %a311: f32, %a312: f32, %a313: f32, %a314: f32,
    %a315: f32, %a316: f32, %a317: f32, %a318: f32, %a319: f32, %a320: f32, %a321: f32, %a322: f32, %a323: f32,
    %a324: f32, %a325: f32, %a326: f32, %a327: f32, %a328: f32, %a329: f32, %a330: f32, %a331: f32, %a332: f32,
    %a333: f32, %a334: f32, %a335: f32, %a336: f32, %a337: f32, %a338: f32, %a339: f32, %a340: f32, %a341: f32,
    %a342: f32, %a343: f32, %a344: f32, %a345: f32, %a346: f32, %a347: f32, %a348: f32, %a349: f32, %a350: f32,
    %a351: f32, %a352: f32, %a353: f32, %a354: f32, %a355: f32, %a356: f32, %a357: f32, %a358: f32, %a359: f32,
    %a360: f32, %a361: f32, %a362: f32, %a363: f32, %a364: f32, %a365: f32, %a366: f32, %a367: f32, %a368: f32,
    %a369: f32, %a370: f32, %a371: f32, %a372: f32, %a373: f32, %a374: f32, %a375: f32, %a376: f32, %a377: f32,
    %a378: f32, %a379: f32, %a380: f32, %a381: f32, %a382: f32, %a383: f32, %a384: f32, %a385: f32, %a386: f32,
    %a387: f32, %a388: f32, %a389: f32, %a390: f32, %a391: f32, %a392: f32, %a393: f32, %a394: f32, %a395: f32,
    %a396: f32, %a397: f32, %a398: f32, %a399: f32, %a400: f32, %a401: f32, %a402: f32, %a403: f32, %a404: f32,
    %a405: f32, %a406: f32, %a407: f32, %a408: f32, %a409: f32, %a410: f32, %a411: f32, %a412: f32, %a413: f32,
    %a414: f32, %a415: f32, %a416: f32, %a417: f32, %a418: f32, %a419: f32, %a420: f32, %a421: f32, %a422: f32,
    %a423: f32, %a424: f32, %a425: f32, %a426: f32, %a427: f32, %a428: f32, %a429: f32, %a430: f32, %a431: f32,
    %a432: f32, %a433: f32, %a434: f32, %a435: f32, %a436: f32, %a437: f32, %a438: f32, %a439: f32, %a440: f32,
    %a441: f32, %a442: f32, %a443: f32, %a444: f32, %a445: f32, %a446: f32, %a447: f32, %a448: f32, %a449: f32,
    %a450: f32, %a451: f32, %a452: f32, %a453: f32, %a454: f32, %a455: f32, %a456: f32, %a457: f32, %a458: f32,
    %a459: f32, %a460: f32, %a461: f32, %a462: f32, %a463: f32, %a464: f32, %a465: f32, %a466: f32, %a467: f32,
    %a468: f32, %a469: f32, %a470: f32, %a471: f32, %a472: f32, %a473: f32, %a474: f32, %a475: f32, %a476: f32,
    %a477: f32, %a478: f32, %a479: f32, %a480: f32, %a481: f32, %a482: f32, %a483: f32, %a484: f32, %a485: f32,
    %a486: f32, %a487: f32, %a488: f32, %a489: f32, %a490: f32, %a491: f32, %a492: f32, %a493: f32, %a494: f32,
    %a495: f32, %a496: f32, %a497: f32, %a498: f32, %a499: f32, %a500: f32, %a501: f32, %a502: f32, %a503: f32,
    %a504: f32, %a505: f32, %a506: f32, %a507: f32, %a508: f32, %a509: f32, %a510: f32, %a511: f32, %a512: f32):
    %s1 = arith.addf %a0, %a1 : f32
    %s2 = arith.addf %s1, %a2 : f32
    %s3 = arith.addf %s2, %a3 : f32
    %s4 = arith.addf %s3, %a4 : f32
    %s5 = arith.addf %s4, %a5 : f32
    %s6 = arith.addf %s5, %a6 : f32
    %s7 = arith.addf %s6, %a7 : f32
    %s8 = arith.addf %s7, %a8 : f32
    %s9 = arith.addf %s8, %a9 : f32
    %s10 = arith.addf %s9, %a10 : f32
    %s11 = arith.addf %s10, %a11 : f32
    %s12 = arith.addf %s11, %a12 : f32
    %s13 = arith.addf %s12, %a13 : f32
    %s14 = arith.addf %s13, %a14 : f32
    %s15 = arith.addf %s14, %a15 : f32
    %s16 = arith.addf %s15, %a16 : f32
    %s17 = arith.addf %s16, %a17 : f32
    %s18 = arith.addf %s17, %a18 : f32
    %s19 = arith.addf %s18, %a19 : f32
    %s20 = arith.addf %s19, %a20 : f32
    %s21 = arith.addf %s20, %a21 : f32
    %s22 = arith.addf %s21, %a22 : f32
    %s23 = arith.addf %s22, %a23 : f32
    %s24 = arith.addf %s23, %a24 : f32
    %s25 = arith.addf %s24, %a25 : f32
    %s26 = arith.addf %s25, %a26 : f32
    %s27 = arith.addf %s26, %a27 : f32
    %s28 = arith.addf %s27, %a28 : f32
    %s29 = arith.addf %s28, %a29 : f32
    %s30 = arith.addf %s29, %a30 : f32
    %s31 = arith.addf %s30, %a31 : f32
    %s32 = arith.addf %s31, %a32 : f32
    %s33 = arith.addf %s32, %a33 : f32
    %s34 = arith.addf %s33, %a34 : f32
    %s35 = arith.addf %s34, %a35 : f32
    %s36 = arith.addf %s35, %a36 : f32
    %s37 = arith.addf %s36, %a37 : f32
    %s38 = arith.addf %s37, %a38 : f32
    %s39 = arith.addf %s38, %a39 : f32
    %s40 = arith.addf %s39, %a40 : f32
    %s41 = arith.addf %s40, %a41 : f32
    %s42 = arith.addf %s41, %a42 : f32
    %s43 = arith.addf %s42, %a43 : f32
    %s44 = arith.addf %s43, %a44 : f32
    %s45 = arith.addf %s44, %a45 : f32
    %s46 = arith.addf %s45, %a46 : f32
    %s47 = arith.addf %s46, %a47 : f32
    %s48 = arith.addf %s47, %a48 : f32
    %s49 = arith.addf %s48, %a49 : f32
    %s50 = arith.addf %s49, %a50 : f32
    %s51 = arith.addf %s50, %a51 : f32
    %s52 = arith.addf %s51, %a52 : f32
    %s53 = arith.addf %s52, %a53 : f32
    %s54 = arith.addf %s53, %a54 : f32
    %s55 = arith.addf %s54, %a55 : f32
    %s56 = arith.addf %s55, %a56 : f32
    %s57 = arith.addf %s56, %a57 : f32
    %s58 = arith.addf %s57, %a58 : f32
    %s59 = arith.addf %s58, %a59 : f32
    %s60 = arith.addf %s59, %a60 : f32
    %s61 = arith.addf %s60, %a61 : f32
    %s62 = arith.addf %s61, %a62 : f32
    %s63 = arith.addf %s62, %a63 : f32
    %s64 = arith.addf %s63, %a64 : f32
    %s65 = arith.addf %s64, %a65 : f32
    %s66 = arith.addf %s65, %a66 : f32
    %s67 = arith.addf %s66, %a67 : f32
    %s68 = arith.addf %s67, %a68 : f32
    %s69 = arith.addf %s68, %a69 : f32
    %s70 = arith.addf %s69, %a70 : f32
    %s71 = arith.addf %s70, %a71 : f32
    %s72 = arith.addf %s71, %a72 : f32
    %s73 = arith.addf %s72, %a73 : f32
    %s74 = arith.addf %s73, %a74 : f32
    %s75 = arith.addf %s74, %a75 : f32
    %s76 = arith.addf %s75, %a76 : f32
    %s77 = arith.addf %s76, %a77 : f32
    %s78 = arith.addf %s77, %a78 : f32
    %s79 = arith.addf %s78, %a79 : f32
    %s80 = arith.addf %s79, %a80 : f32
    %s81 = arith.addf %s80, %a81 : f32
    %s82 = arith.addf %s81, %a82 : f32
    %s83 = arith.addf %s82, %a83 : f32
    %s84 = arith.addf %s83, %a84 : f32
    %s85 = arith.addf %s84, %a85 : f32
    %s86 = arith.addf %s85, %a86 : f32
    %s87 = arith.addf %s86, %a87 : f32
    %s88 = arith.addf %s87, %a88 : f32
    %s89 = arith.addf %s88, %a89 : f32
    %s90 = arith.addf %s89, %a90 : f32
    %s91 = arith.addf %s90, %a91 : f32
    %s92 = arith.addf %s91, %a92 : f32
    %s93 = arith.addf %s92, %a93 : f32
    %s94 = arith.addf %s93, %a94 : f32
    %s95 = arith.addf %s94, %a95 : f32
    %s96 = arith.addf %s95, %a96 : f32
    %s97 = arith.addf %s96, %a97 : f32
    %s98 = arith.addf %s97, %a98 : f32
    %s99 = arith.addf %s98, %a99 : f32
    %s100 = arith.addf %s99, %a100 : f32
    %s101 = arith.addf %s100, %a101 : f32
    %s102 = arith.addf %s101, %a102 : f32
    %s103 = arith.addf %s102, %a103 : f32
    %s104 = arith.addf %s103, %a104 : f32
    %s105 = arith.addf %s104, %a105 : f32
    %s106 = arith.addf %s105, %a106 : f32
    %s107 = arith.addf %s106, %a107 : f32
    %s108 = arith.addf %s107, %a108 : f32
    %s109 = arith.addf %s108, %a109 : f32
    %s110 = arith.addf %s109, %a110 : f32
    %s111 = arith.addf %s110, %a111 : f32
    %s112 = arith.addf %s111, %a112 : f32
    %s113 = arith.addf %s112, %a113 : f32
    %s114 = arith.addf %s113, %a114 : f32
    %s115 = arith.addf %s114, %a115 : f32
    %s116 = arith.addf %s115, %a116 : f32
    %s117 = arith.addf %s116, %a117 : f32
    %s118 = arith.addf %s117, %a118 : f32
    %s119 = arith.addf %s118, %a119 : f32
    %s120 = arith.addf %s119, %a120 : f32
    %s121 = arith.addf %s120, %a121 : f32
    %s122 = arith.addf %s121, %a122 : f32
    %s123 = arith.addf %s122, %a123 : f32
    %s124 = arith.addf %s123, %a124 : f32
    %s125 = arith.addf %s124, %a125 : f32
    %s126 = arith.addf %s125, %a126 : f32
    %s127 = arith.addf %s126, %a127 : f32
    %s128 = arith.addf %s127, %a128 : f32
    %s129 = arith.addf %s128, %a129 : f32
    %s130 = arith.addf %s129, %a130 : f32
    %s131 = arith.addf %s130, %a131 : f32
    %s132 = arith.addf %s131, %a132 : f32
    %s133 = arith.addf %s132, %a133 : f32
    %s134 = arith.addf %s133, %a134 : f32
    %s135 = arith.addf %s134, %a135 : f32
    %s136 = arith.addf %s135, %a136 : f32
    %s137 = arith.addf %s136, %a137 : f32
    %s138 = arith.addf %s137, %a138 : f32
    %s139 = arith.addf %s138, %a139 : f32
    %s140 = arith.addf %s139, %a140 : f32
    %s141 = arith.addf %s140, %a141 : f32
    %s142 = arith.addf %s141, %a142 : f32
    %s143 = arith.addf %s142, %a143 : f32
    %s144 = arith.addf %s143, %a144 : f32
    %s145 = arith.addf %s144, %a145 : f32
    %s146 = arith.addf %s145, %a146 : f32
    %s147 = arith.addf %s146, %a147 : f32
    %s148 = arith.addf %s147, %a148 : f32
    %s149 = arith.addf %s148, %a149 : f32
    %s150 = arith.addf %s149, %a150 : f32
    %s151 = arith.addf %s150, %a151 : f32
    %s152 = arith.addf %s151, %a152 : f32
    %s153 = arith.addf %s152, %a153 : f32
    %s154 = arith.addf %s153, %a154 : f32
    %s155 = arith.addf %s154, %a155 : f32
    %s156 = arith.addf %s155, %a156 : f32
    %s157 = arith.addf %s156, %a157 : f32
    %s158 = arith.addf %s157, %a158 : f32
    %s159 = arith.addf %s158, %a159 : f32
    %s160 = arith.addf %s159, %a160 : f32
    %s161 = arith.addf %s160, %a161 : f32
    %s162 = arith.addf %s161, %a162 : f32
    %s163 = arith.addf %s162, %a163 : f32
    %s164 = arith.addf %s163, %a164 : f32
    %s165 = arith.addf %s164, %a165 : f32
    %s166 = arith.addf %s165, %a166 : f32
    %s167 = arith.addf %s166, %a167 : f32
    %s168 = arith.addf %s167, %a168 : f32
    %s169 = arith.addf %s168, %a169 : f32
    %s170 = arith.addf %s169, %a170 : f32
    %s171 = arith.addf %s170, %a171 : f32
    %s172 = arith.addf %s171, %a172 : f32
    %s173 = arith.addf %s172, %a173 : f32
    %s174 = arith.addf %s173, %a174 : f32
    %s175 = arith.addf %s174, %a175 : f32
    %s176 = arith.addf %s175, %a176 : f32
    %s177 = arith.addf %s176, %a177 : f32
    %s178 = arith.addf %s177, %a178 : f32
    %s179 = arith.addf %s178, %a179 : f32
    %s180 = arith.addf %s179, %a180 : f32
    %s181 = arith.addf %s180, %a181 : f32
    %s182 = arith.addf %s181, %a182 : f32
    %s183 = arith.addf %s182, %a183 : f32
    %s184 = arith.addf %s183, %a184 : f32
    %s185 = arith.addf %s184, %a185 : f32
    %s186 = arith.addf %s185, %a186 : f32
    %s187 = arith.addf %s186, %a187 : f32
    %s188 = arith.addf %s187, %a188 : f32
    %s189 = arith.addf %s188, %a189 : f32
    %s190 = arith.addf %s189, %a190 : f32
    %s191 = arith.addf %s190, %a191 : f32
    %s192 = arith.addf %s191, %a192 : f32
    %s193 = arith.addf %s192, %a193 : f32
    %s194 = arith.addf %s193, %a194 : f32
    %s195 = arith.addf %s194, %a195 : f32
    %s196 = arith.addf %s195, %a196 : f32
    %s197 = arith.addf %s196, %a197 : f32
    %s198 = arith.addf %s197, %a198 : f32
    %s199 = arith.addf %s198, %a199 : f32
    %s200 = arith.addf %s199, %a200 : f32
    %s201 = arith.addf %s200, %a201 : f32
    %s202 = arith.addf %s201, %a202 : f32
    %s203 = arith.addf %s202, %a203 : f32
    %s204 = arith.addf %s203, %a204 : f32
    %s205 = arith.addf %s204, %a205 : f32
    %s206 = arith.addf %s205, %a206 : f32
    %s207 = arith.addf %s206, %a207 : f32
    %s208 = arith.addf %s207, %a208 : f32
    %s209 = arith.addf %s208, %a209 : f32
    %s210 = arith.addf %s209, %a210 : f32
    %s211 = arith.addf %s210, %a211 : f32
    %s212 = arith.addf %s211, %a212 : f32
    %s213 = arith.addf %s212, %a213 : f32
    %s214 = arith.addf %s213, %a214 : f32
    %s215 = arith.addf %s214, %a215 : f32
    %s216 = arith.addf %s215, %a216 : f32
    %s217 = arith.addf %s216, %a217 : f32
    %s218 = arith.addf %s217, %a218 : f32
    %s219 = arith.addf %s218, %a219 : f32
    %s220 = arith.addf %s219, %a220 : f32
    %s221 = arith.addf %s220, %a221 : f32
    %s222 = arith.addf %s221, %a222 : f32
    %s223 = arith.addf %s222, %a223 : f32
    %s224 = arith.addf %s223, %a224 : f32
    %s225 = arith.addf %s224, %a225 : f32
    %s226 = arith.addf %s225, %a226 : f32
    %s227 = arith.addf %s226, %a227 : f32
    %s228 = arith.addf %s227, %a228 : f32
    %s229 = arith.addf %s228, %a229 : f32
    %s230 = arith.addf %s229, %a230 : f32
    %s231 = arith.addf %s230, %a231 : f32
    %s232 = arith.addf %s231, %a232 : f32
    %s233 = arith.addf %s232, %a233 : f32
    %s234 = arith.addf %s233, %a234 : f32
    %s235 = arith.addf %s234, %a235 : f32
    %s236 = arith.addf %s235, %a236 : f32
    %s237 = arith.addf %s236, %a237 : f32
    %s238 = arith.addf %s237, %a238 : f32
    %s239 = arith.addf %s238, %a239 : f32
    %s240 = arith.addf %s239, %a240 : f32
    %s241 = arith.addf %s240, %a241 : f32
    %s242 = arith.addf %s241, %a242 : f32
    %s243 = arith.addf %s242, %a243 : f32
    %s244 = arith.addf %s243, %a244 : f32
    %s245 = arith.addf %s244, %a245 : f32
    %s246 = arith.addf %s245, %a246 : f32
    %s247 = arith.addf %s246, %a247 : f32
    %s248 = arith.addf %s247, %a248 : f32
    %s249 = arith.addf %s248, %a249 : f32
    %s250 = arith.addf %s249, %a250 : f32
    %s251 = arith.addf %s250, %a251 : f32
    %s252 = arith.addf %s251, %a252 : f32
    %s253 = arith.addf %s252, %a253 : f32
    %s254 = arith.addf %s253, %a254 : f32
    %s255 = arith.addf %s254, %a255 : f32
    %s256 = arith.addf %s255, %a256 : f32
    %s257 = arith.addf %s256, %a257 : f32
    %s258 = arith.addf %s257, %a258 : f32
    %s259 = arith.addf %s258, %a259 : f32
    %s260 = arith.addf %s259, %a260 : f32
    %s261 = arith.addf %s260, %a261 : f32
    %s262 = arith.addf %s261, %a262 : f32
    %s263 = arith.addf %s262, %a263 : f32
    %s264 = arith.addf %s263, %a264 : f32
    %s265 = arith.addf %s264, %a265 : f32
    %s266 = arith.addf %s265, %a266 : f32
    %s267 = arith.addf %s266, %a267 : f32
    %s268 = arith.addf %s267, %a268 : f32
    %s269 = arith.addf %s268, %a269 : f32
    %s270 = arith.addf %s269, %a270 : f32
    %s271 = arith.addf %s270, %a271 : f32
    %s272 = arith.addf %s271, %a272 : f32
    %s273 = arith.addf %s272, %a273 : f32
    %s274 = arith.addf %s273, %a274 : f32
    %s275 = arith.addf %s274, %a275 : f32
    %s276 = arith.addf %s275, %a276 : f32
    %s277 = arith.addf %s276, %a277 : f32
    %s278 = arith.addf %s277, %a278 : f32
    %s279 = arith.addf %s278, %a279 : f32
    %s280 = arith.addf %s279, %a280 : f32
    %s281 = arith.addf %s280, %a281 : f32
    %s282 = arith.addf %s281, %a282 : f32
    %s283 = arith.addf %s282, %a283 : f32
    %s284 = arith.addf %s283, %a284 : f32
    %s285 = arith.addf %s284, %a285 : f32
    %s286 = arith.addf %s285, %a286 : f32
    %s287 = arith.addf %s286, %a287 : f32
    %s288 = arith.addf %s287, %a288 : f32
    %s289 = arith.addf %s288, %a289 : f32
    %s290 = arith.addf %s289, %a290 : f32
    %s291 = arith.addf %s290, %a291 : f32
    %s292 = arith.addf %s291, %a292 : f32
    %s293 = arith.addf %s292, %a293 : f32
    %s294 = arith.addf %s293, %a294 : f32
    %s295 = arith.addf %s294, %a295 : f32
    %s296 = arith.addf %s295, %a296 : f32
    %s297 = arith.addf %s296, %a297 : f32
    %s298 = arith.addf %s297, %a298 : f32
    %s299 = arith.addf %s298, %a299 : f32
    %s300 = arith.addf %s299, %a300 : f32
    %s301 = arith.addf %s300, %a301 : f32
    %s302 = arith.addf %s301, %a302 : f32
    %s303 = arith.addf %s302, %a303 : f32
    %s304 = arith.addf %s303, %a304 : f32
    %s305 = arith.addf %s304, %a305 : f32
    %s306 = arith.addf %s305, %a306 : f32
    %s307 = arith.addf %s306, %a307 : f32
    %s308 = arith.addf %s307, %a308 : f32
    %s309 = arith.addf %s308, %a309 : f32
    %s310 = arith.addf %s309, %a310 : f32
    %s311 = arith.addf %s310, %a311 : f32
    %s312 = arith.addf %s311, %a312 : f32
    %s313 = arith.addf %s312, %a313 : f32
    %s314 = arith.addf %s313, %a314 : f32
    %s315 = arith.addf %s314, %a315 : f32
    %s316 = arith.addf %s315, %a316 : f32
    %s317 = arith.addf %s316, %a317 : f32
    %s318 = arith.addf %s317, %a318 : f32
    %s319 = arith.addf %s318, %a319 : f32
    %s320 = arith.addf %s319, %a320 : f32
    %s321 = arith.addf %s320, %a321 : f32
    %s322 = arith.addf %s321, %a322 : f32
    %s323 = arith.addf %s322, %a323 : f32
    %s324 = arith.addf %s323, %a324 : f32
    %s325 = arith.addf %s324, %a325 : f32
    %s326 = arith.addf %s325, %a326 : f32
    %s327 = arith.addf %s326, %a327 : f32
    %s328 = arith.addf %s327, %a328 : f32
    %s329 = arith.addf %s328, %a329 : f32
    %s330 = arith.addf %s329, %a330 : f32
    %s331 = arith.addf %s330, %a331 : f32
    %s332 = arith.addf %s331, %a332 : f32
    %s333 = arith.addf %s332, %a333 : f32
    %s334 = arith.addf %s333, %a334 : f32
    %s335 = arith.addf %s334, %a335 : f32
    %s336 = arith.addf %s335, %a336 : f32
    %s337 = arith.addf %s336, %a337 : f32
    %s338 = arith.addf %s337, %a338 : f32
    %s339 = arith.addf %s338, %a339 : f32
    %s340 = arith.addf %s339, %a340 : f32
    %s341 = arith.addf %s340, %a341 : f32
    %s342 = arith.addf %s341, %a342 : f32
    %s343 = arith.addf %s342, %a343 : f32
    %s344 = arith.addf %s343, %a344 : f32
    %s345 = arith.addf %s344, %a345 : f32
    %s346 = arith.addf %s345, %a346 : f32
    %s347 = arith.addf %s346, %a347 : f32
    %s348 = arith.addf %s347, %a348 : f32
    %s349 = arith.addf %s348, %a349 : f32
    %s350 = arith.addf %s349, %a350 : f32
    %s351 = arith.addf %s350, %a351 : f32
    %s352 = arith.addf %s351, %a352 : f32
    %s353 = arith.addf %s352, %a353 : f32
    %s354 = arith.addf %s353, %a354 : f32
    %s355 = arith.addf %s354, %a355 : f32
    %s356 = arith.addf %s355, %a356 : f32
    %s357 = arith.addf %s356, %a357 : f32
    %s358 = arith.addf %s357, %a358 : f32
    %s359 = arith.addf %s358, %a359 : f32
    %s360 = arith.addf %s359, %a360 : f32
    %s361 = arith.addf %s360, %a361 : f32
    %s362 = arith.addf %s361, %a362 : f32
    %s363 = arith.addf %s362, %a363 : f32
    %s364 = arith.addf %s363, %a364 : f32
    %s365 = arith.addf %s364, %a365 : f32
    %s366 = arith.addf %s365, %a366 : f32
    %s367 = arith.addf %s366, %a367 : f32
    %s368 = arith.addf %s367, %a368 : f32
    %s369 = arith.addf %s368, %a369 : f32
    %s370 = arith.addf %s369, %a370 : f32
    %s371 = arith.addf %s370, %a371 : f32
    %s372 = arith.addf %s371, %a372 : f32
    %s373 = arith.addf %s372, %a373 : f32
    %s374 = arith.addf %s373, %a374 : f32
    %s375 = arith.addf %s374, %a375 : f32
    %s376 = arith.addf %s375, %a376 : f32
    %s377 = arith.addf %s376, %a377 : f32
    %s378 = arith.addf %s377, %a378 : f32
    %s379 = arith.addf %s378, %a379 : f32
    %s380 = arith.addf %s379, %a380 : f32
    %s381 = arith.addf %s380, %a381 : f32
    %s382 = arith.addf %s381, %a382 : f32
    %s383 = arith.addf %s382, %a383 : f32
    %s384 = arith.addf %s383, %a384 : f32
    %s385 = arith.addf %s384, %a385 : f32
    %s386 = arith.addf %s385, %a386 : f32
    %s387 = arith.addf %s386, %a387 : f32
    %s388 = arith.addf %s387, %a388 : f32
    %s389 = arith.addf %s388, %a389 : f32
    %s390 = arith.addf %s389, %a390 : f32
    %s391 = arith.addf %s390, %a391 : f32
    %s392 = arith.addf %s391, %a392 : f32
    %s393 = arith.addf %s392, %a393 : f32
    %s394 = arith.addf %s393, %a394 : f32
    %s395 = arith.addf %s394, %a395 : f32
    %s396 = arith.addf %s395, %a396 : f32
    %s397 = arith.addf %s396, %a397 : f32
    %s398 = arith.addf %s397, %a398 : f32
    %s399 = arith.addf %s398, %a399 : f32
    %s400 = arith.addf %s399, %a400 : f32
    %s401 = arith.addf %s400, %a401 : f32
    %s402 = arith.addf %s401, %a402 : f32
    %s403 = arith.addf %s402, %a403 : f32
    %s404 = arith.addf %s403, %a404 : f32
    %s405 = arith.addf %s404, %a405 : f32
    %s406 = arith.addf %s405, %a406 : f32
    %s407 = arith.addf %s406, %a407 : f32
    %s408 = arith.addf %s407, %a408 : f32
    %s409 = arith.addf %s408, %a409 : f32
    %s410 = arith.addf %s409, %a410 : f32
    %s411 = arith.addf %s410, %a411 : f32
    %s412 = arith.addf %s411, %a412 : f32
    %s413 = arith.addf %s412, %a413 : f32
    %s414 = arith.addf %s413, %a414 : f32
    %s415 = arith.addf %s414, %a415 : f32
    %s416 = arith.addf %s415, %a416 : f32
    %s417 = arith.addf %s416, %a417 : f32
    %s418 = arith.addf %s417, %a418 : f32
    %s419 = arith.addf %s418, %a419 : f32
    %s420 = arith.addf %s419, %a420 : f32
    %s421 = arith.addf %s420, %a421 : f32
    %s422 = arith.addf %s421, %a422 : f32
    %s423 = arith.addf %s422, %a423 : f32
    %s424 = arith.addf %s423, %a424 : f32
    %s425 = arith.addf %s424, %a425 : f32
    %s426 = arith.addf %s425, %a426 : f32
    %s427 = arith.addf %s426, %a427 : f32
    %s428 = arith.addf %s427, %a428 : f32
    %s429 = arith.addf %s428, %a429 : f32
    %s430 = arith.addf %s429, %a430 : f32
    %s431 = arith.addf %s430, %a431 : f32
    %s432 = arith.addf %s431, %a432 : f32
    %s433 = arith.addf %s432, %a433 : f32
    %s434 = arith.addf %s433, %a434 : f32
    %s435 = arith.addf %s434, %a435 : f32
    %s436 = arith.addf %s435, %a436 : f32
    %s437 = arith.addf %s436, %a437 : f32
    %s438 = arith.addf %s437, %a438 : f32
    %s439 = arith.addf %s438, %a439 : f32
    %s440 = arith.addf %s439, %a440 : f32
    %s441 = arith.addf %s440, %a441 : f32
    %s442 = arith.addf %s441, %a442 : f32
    %s443 = arith.addf %s442, %a443 : f32
    %s444 = arith.addf %s443, %a444 : f32
    %s445 = arith.addf %s444, %a445 : f32
    %s446 = arith.addf %s445, %a446 : f32
    %s447 = arith.addf %s446, %a447 : f32
    %s448 = arith.addf %s447, %a448 : f32
    %s449 = arith.addf %s448, %a449 : f32
    %s450 = arith.addf %s449, %a450 : f32
    %s451 = arith.addf %s450, %a451 : f32
    %s452 = arith.addf %s451, %a452 : f32
    %s453 = arith.addf %s452, %a453 : f32
    %s454 = arith.addf %s453, %a454 : f32
    %s455 = arith.addf %s454, %a455 : f32
    %s456 = arith.addf %s455, %a456 : f32
    %s457 = arith.addf %s456, %a457 : f32
    %s458 = arith.addf %s457, %a458 : f32
    %s459 = arith.addf %s458, %a459 : f32
    %s460 = arith.addf %s459, %a460 : f32
    %s461 = arith.addf %s460, %a461 : f32
    %s462 = arith.addf %s461, %a462 : f32
    %s463 = arith.addf %s462, %a463 : f32
    %s464 = arith.addf %s463, %a464 : f32
    %s465 = arith.addf %s464, %a465 : f32
    %s466 = arith.addf %s465, %a466 : f32
    %s467 = arith.addf %s466, %a467 : f32
    %s468 = arith.addf %s467, %a468 : f32
    %s469 = arith.addf %s468, %a469 : f32
    %s470 = arith.addf %s469, %a470 : f32
    %s471 = arith.addf %s470, %a471 : f32
    %s472 = arith.addf %s471, %a472 : f32
    %s473 = arith.addf %s472, %a473 : f32
    %s474 = arith.addf %s473, %a474 : f32
    %s475 = arith.addf %s474, %a475 : f32
    %s476 = arith.addf %s475, %a476 : f32
    %s477 = arith.addf %s476, %a477 : f32
    %s478 = arith.addf %s477, %a478 : f32
    %s479 = arith.addf %s478, %a479 : f32
    %s480 = arith.addf %s479, %a480 : f32
    %s481 = arith.addf %s480, %a481 : f32
    %s482 = arith.addf %s481, %a482 : f32
    %s483 = arith.addf %s482, %a483 : f32
    %s484 = arith.addf %s483, %a484 : f32
    %s485 = arith.addf %s484, %a485 : f32
    %s486 = arith.addf %s485, %a486 : f32
    %s487 = arith.addf %s486, %a487 : f32
    %s488 = arith.addf %s487, %a488 : f32
    %s489 = arith.addf %s488, %a489 : f32
    %s490 = arith.addf %s489, %a490 : f32
    %s491 = arith.addf %s490, %a491 : f32
    %s492 = arith.addf %s491, %a492 : f32
    %s493 = arith.addf %s492, %a493 : f32
    %s494 = arith.addf %s493, %a494 : f32
    %s495 = arith.addf %s494, %a495 : f32
    %s496 = arith.addf %s495, %a496 : f32
    %s497 = arith.addf %s496, %a497 : f32
    %s498 = arith.addf %s497, %a498 : f32
    %s499 = arith.addf %s498, %a499 : f32
    %s500 = arith.addf %s499, %a500 : f32
    %s501 = arith.addf %s500, %a501 : f32
    %s502 = arith.addf %s501, %a502 : f32
    %s503 = arith.addf %s502, %a503 : f32
    %s504 = arith.addf %s503, %a504 : f32
    %s505 = arith.addf %s504, %a505 : f32
    %s506 = arith.addf %s505, %a506 : f32
    %s507 = arith.addf %s506, %a507 : f32
    %s508 = arith.addf %s507, %a508 : f32
    %s509 = arith.addf %s508, %a509 : f32
    %s510 = arith.addf %s509, %a510 : f32
    %s511 = arith.addf %s510, %a511 : f32
    linalg.yield %s511 : f32
  }
  return
}
