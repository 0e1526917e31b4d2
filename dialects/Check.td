// Checks, which a function with checks reports as a value.
#ifndef DOVETAIL_CHECK_TD
#define DOVETAIL_CHECK_TD

include "Dovetail.td"

def FailureOpInterface : Rule<"FailureOpInterface"> {
  let description = [{
    An op that has no meaning for some values of its operands: division by zero, indices out of bounds. Functions with
    checks (`--dovetail-checkify`) look for these. NaNs, which any op may produce, are found without it.
  }];
  let methods = [
    InterfaceMethod<"The kind of failure: `user`, `div` or `index`.", "::llvm::StringRef", "getFailureKind">,
    InterfaceMethod<"Emits where the op fails; `where` is null if it cannot.", "::dovetail::Failure", "emitFailure",
                    (ins "::dovetail::Emitter &":$e)>,
    InterfaceMethod<"How many numbers of failures it has.", "int64_t", "numFailures", (ins), "", "return 1;">,
    InterfaceMethod<"The program's table of them, -1 if they are described by the op itself.", "int64_t",
                    "failureTable", (ins), "", "return -1;">,
    InterfaceMethod<"How many numbers describe a failure further.", "int64_t", "numFailureData", (ins), "",
                    "return 0;">,
    InterfaceMethod<"Whether the op is nothing but a check.", "bool", "isOnlyCheck", (ins), "", "return false;">,
  ];
}

def CheckOp : DovetailOp<"check", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                   DeclareOpInterfaceMethods<JvpOpInterface>,
                                   DeclareOpInterfaceMethods<BatchOpInterface>,
                                   DeclareOpInterfaceMethods<TransientOpInterface>,
                                   DeclareOpInterfaceMethods<FailureOpInterface,
                                     ["numFailures", "failureTable", "numFailureData", "isOnlyCheck"]>]> {
  let summary = "a check of the program; the function that contains it must become one with checks";
  let description = [{
    `failure` is the number of the check that failed in a table of `count` checks that the program has under the number
    `table`, or negative, and then what describes the failure, as words of 32 bits. Derivatives ignore it; over a batch, it
    fails with the first element that does. If it is only for debugging (`debug`), functions without checks drop it.
  }];
  let arguments = (ins StrAttr:$kind, I64Attr:$table, I64Attr:$count, DefaultValuedAttr<BoolAttr, "false">:$debug,
                       TensorOf<[I32]>:$failure);
  let assemblyFormat = "$kind `table` $table `of` $count $failure attr-dict `:` type($failure)";
  let hasVerifier = 1;
}

#endif // DOVETAIL_CHECK_TD
