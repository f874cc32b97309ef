/// The caller of an operation, as the kernel identifies it.
package struct Caller: Sendable {
    package let user: UInt32
    package let group: UInt32
    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}
