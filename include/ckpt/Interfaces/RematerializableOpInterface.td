//===- RematerializableOpInterface.td - Storage, purity ----*- tablegen -*-===//

#ifndef CKPT_INTERFACES_REMATERIALIZABLEOPINTERFACE
#define CKPT_INTERFACES_REMATERIALIZABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def RematerializableOpInterface : OpInterface<"RematerializableOpInterface"> {
  let cppNamespace = "::ckpt";
  let description = [{
    How the results of an op are stored once tensors are buffers, and whether
    the op may run again. Queries never mutate IR. An op without the interface
    stores each tensor result in a buffer of its own, and may run again only if
    it is registered and pure.
  }];
  let methods = [
    InterfaceMethod<[{
        How the tensor result of number `result` is stored. The conservative
        answer is a fresh buffer.
      }],
      "::ckpt::Storage", "getStorage", (ins "unsigned":$result)>,
    InterfaceMethod<[{
        Whether a second execution gives the same results and is not observable.
        The conservative answer is false. The default is what the op's memory
        effects say.
      }],
      "bool", "isRecomputable", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return ::ckpt::hasNoObservableEffect($_op);
      }]>,
  ];
}

#endif // CKPT_INTERFACES_REMATERIALIZABLEOPINTERFACE
