// The compiler of IREE 3.13 fuses ops on any number of scalars, but its runtime passes 32 arrays to a dispatch.
// RUN: dovetail-opt %s --dovetail-lower | %{compile} - -o %t.vmfb
// RUN: not %{run} --module=%t.vmfb --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 \
// RUN:   --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 \
// RUN:   --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 --input=f32=1 2>&1 | FileCheck %s

// CHECK: binding count 34 > 32

func.func @main(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>, %x4: tensor<f32>, %x5: tensor<f32>, %x6: tensor<f32>, %x7: tensor<f32>,
                %x8: tensor<f32>, %x9: tensor<f32>, %x10: tensor<f32>, %x11: tensor<f32>, %x12: tensor<f32>, %x13: tensor<f32>, %x14: tensor<f32>, %x15: tensor<f32>,
                %x16: tensor<f32>, %x17: tensor<f32>, %x18: tensor<f32>, %x19: tensor<f32>, %x20: tensor<f32>, %x21: tensor<f32>, %x22: tensor<f32>, %x23: tensor<f32>,
                %x24: tensor<f32>, %x25: tensor<f32>, %x26: tensor<f32>, %x27: tensor<f32>, %x28: tensor<f32>, %x29: tensor<f32>, %x30: tensor<f32>, %x31: tensor<f32>,
                %x32: tensor<f32>) -> tensor<f32> {
  %1 = dovetail.add %x0, %x1 : tensor<f32>
  %2 = dovetail.add %1, %x2 : tensor<f32>
  %3 = dovetail.add %2, %x3 : tensor<f32>
  %4 = dovetail.add %3, %x4 : tensor<f32>
  %5 = dovetail.add %4, %x5 : tensor<f32>
  %6 = dovetail.add %5, %x6 : tensor<f32>
  %7 = dovetail.add %6, %x7 : tensor<f32>
  %8 = dovetail.add %7, %x8 : tensor<f32>
  %9 = dovetail.add %8, %x9 : tensor<f32>
  %10 = dovetail.add %9, %x10 : tensor<f32>
  %11 = dovetail.add %10, %x11 : tensor<f32>
  %12 = dovetail.add %11, %x12 : tensor<f32>
  %13 = dovetail.add %12, %x13 : tensor<f32>
  %14 = dovetail.add %13, %x14 : tensor<f32>
  %15 = dovetail.add %14, %x15 : tensor<f32>
  %16 = dovetail.add %15, %x16 : tensor<f32>
  %17 = dovetail.add %16, %x17 : tensor<f32>
  %18 = dovetail.add %17, %x18 : tensor<f32>
  %19 = dovetail.add %18, %x19 : tensor<f32>
  %20 = dovetail.add %19, %x20 : tensor<f32>
  %21 = dovetail.add %20, %x21 : tensor<f32>
  %22 = dovetail.add %21, %x22 : tensor<f32>
  %23 = dovetail.add %22, %x23 : tensor<f32>
  %24 = dovetail.add %23, %x24 : tensor<f32>
  %25 = dovetail.add %24, %x25 : tensor<f32>
  %26 = dovetail.add %25, %x26 : tensor<f32>
  %27 = dovetail.add %26, %x27 : tensor<f32>
  %28 = dovetail.add %27, %x28 : tensor<f32>
  %29 = dovetail.add %28, %x29 : tensor<f32>
  %30 = dovetail.add %29, %x30 : tensor<f32>
  %31 = dovetail.add %30, %x31 : tensor<f32>
  %32 = dovetail.add %31, %x32 : tensor<f32>
  return %32 : tensor<f32>
}
