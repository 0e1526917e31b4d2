// Discrete Fourier transforms.
#ifndef DOVETAIL_FFT_H
#define DOVETAIL_FFT_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Fft.h.inc"

#endif // DOVETAIL_FFT_H
