/// The number of a container on this device.
package struct ContainerID: Hashable, Comparable, Sendable {
    package let value: Int64
    package init(_ value: Int64) { self.value = value }
    package static func < (left: ContainerID, right: ContainerID) -> Bool { left.value < right.value }
}
