import Basics

/// The id of one installation: 64 random bits, created with its state directory.
package struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func random(using generator: inout some RandomNumberGenerator) -> DeviceID {
        DeviceID(generator.next() | 1)
    }
    package static func < (left: DeviceID, right: DeviceID) -> Bool { left.value < right.value }
    package var description: String { Hex.encode(value) }
}
