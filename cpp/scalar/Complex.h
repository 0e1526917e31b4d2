// Scalar code of the complex functions; Scalar.h dispatches here for complex arguments.
#ifndef DOVETAIL_SCALAR_COMPLEX_H
#define DOVETAIL_SCALAR_COMPLEX_H

#include "Scalar.h"

namespace dovetail::scalar {

mlir::Value complexMul(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value complexDiv(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value complexPow(ScalarBuilder &b, mlir::Value x, mlir::Value y);

/// The real magnitude.
mlir::Value complexAbs(ScalarBuilder &b, mlir::Value x);
/// x/|x|, and 0 at 0.
mlir::Value complexSign(ScalarBuilder &b, mlir::Value x);

mlir::Value complexExp(ScalarBuilder &b, mlir::Value x);
mlir::Value complexExp2(ScalarBuilder &b, mlir::Value x);
mlir::Value complexExpm1(ScalarBuilder &b, mlir::Value x);
mlir::Value complexLog(ScalarBuilder &b, mlir::Value x);
mlir::Value complexLog1p(ScalarBuilder &b, mlir::Value x);
mlir::Value complexLogistic(ScalarBuilder &b, mlir::Value x);
mlir::Value complexSqrt(ScalarBuilder &b, mlir::Value x);
mlir::Value complexRsqrt(ScalarBuilder &b, mlir::Value x);
mlir::Value complexSin(ScalarBuilder &b, mlir::Value x);
mlir::Value complexCos(ScalarBuilder &b, mlir::Value x);
mlir::Value complexTan(ScalarBuilder &b, mlir::Value x);
mlir::Value complexAsin(ScalarBuilder &b, mlir::Value x);
mlir::Value complexAcos(ScalarBuilder &b, mlir::Value x);
mlir::Value complexAtan(ScalarBuilder &b, mlir::Value x);
mlir::Value complexSinh(ScalarBuilder &b, mlir::Value x);
mlir::Value complexCosh(ScalarBuilder &b, mlir::Value x);
mlir::Value complexTanh(ScalarBuilder &b, mlir::Value x);
mlir::Value complexAsinh(ScalarBuilder &b, mlir::Value x);
mlir::Value complexAcosh(ScalarBuilder &b, mlir::Value x);
mlir::Value complexAtanh(ScalarBuilder &b, mlir::Value x);

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_COMPLEX_H
