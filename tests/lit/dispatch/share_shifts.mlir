// Rotations of one array become slices of one copy with borders.
// RUN: dovetail-opt %s --split-input-file --dovetail-share-shifts | FileCheck %s

// CHECK-LABEL: func.func @rotations
// CHECK-SAME:    (%[[X:.+]]: tensor<4x6xf32>)
// CHECK:         %[[ROOM:.+]] = tensor.empty() : tensor<6x7xf32>
// CHECK:         %[[MIDDLE:.+]] = tensor.insert_slice %[[X]] into %[[ROOM]][1, 0] [4, 6] [1, 1]
// CHECK:         %[[LAST:.+]] = tensor.extract_slice %[[X]][3, 0] [1, 6] [1, 1]
// CHECK:         %[[ABOVE:.+]] = tensor.insert_slice %[[LAST]] into %[[MIDDLE]][0, 0] [1, 6] [1, 1]
// CHECK:         %[[FIRST:.+]] = tensor.extract_slice %[[X]][0, 0] [1, 6] [1, 1]
// CHECK:         %[[BELOW:.+]] = tensor.insert_slice %[[FIRST]] into %[[ABOVE]][5, 0] [1, 6] [1, 1]
// CHECK:         %[[LEFT:.+]] = tensor.extract_slice %[[X]][0, 0] [4, 1] [1, 1]
// CHECK:         %[[ALL:.+]] = tensor.insert_slice %[[LEFT]] into %[[BELOW]][1, 6] [4, 1] [1, 1]
// CHECK-NOT:     tensor.concat
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[DOWN:.+]] = tensor.extract_slice %[[ALL]][0, 0] [4, 6] [1, 1]
// CHECK:         %[[UP:.+]] = tensor.extract_slice %[[ALL]][2, 0] [4, 6] [1, 1]
// CHECK:         %[[ALONG:.+]] = tensor.extract_slice %[[ALL]][1, 1] [4, 6] [1, 1]
// CHECK:         return %[[DOWN]], %[[UP]], %[[ALONG]]
func.func @rotations(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = tensor.extract_slice %x[3, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<1x6xf32>
  %1 = tensor.extract_slice %x[0, 0] [3, 6] [1, 1] : tensor<4x6xf32> to tensor<3x6xf32>
  %down = tensor.concat dim(0) %0, %1 : (tensor<1x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %2 = tensor.extract_slice %x[1, 0] [3, 6] [1, 1] : tensor<4x6xf32> to tensor<3x6xf32>
  %3 = tensor.extract_slice %x[0, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<1x6xf32>
  %up = tensor.concat dim(0) %2, %3 : (tensor<3x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %4 = tensor.extract_slice %x[0, 1] [4, 5] [1, 1] : tensor<4x6xf32> to tensor<4x5xf32>
  %5 = tensor.extract_slice %x[0, 0] [4, 1] [1, 1] : tensor<4x6xf32> to tensor<4x1xf32>
  %room = tensor.empty() : tensor<4x6xf32>
  %most = tensor.insert_slice %4 into %room[0, 0] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x6xf32>
  %along = tensor.insert_slice %5 into %most[0, 5] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x6xf32>
  return %down, %up, %along : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// A single one stays. So does one whose border differs from that of the others.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: tensor.concat
// CHECK:         return
func.func @kept(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.extract_slice %x[1] [7] [1] : tensor<8xf32> to tensor<7xf32>
  %1 = tensor.extract_slice %x[0] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %wrapped = tensor.concat dim(0) %0, %1 : (tensor<7xf32>, tensor<1xf32>) -> tensor<8xf32>
  %2 = tensor.extract_slice %x[7] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %repeated = tensor.concat dim(0) %0, %2 : (tensor<7xf32>, tensor<1xf32>) -> tensor<8xf32>
  return %wrapped, %repeated : tensor<8xf32>, tensor<8xf32>
}
