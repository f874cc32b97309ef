/// The number of an account.
package struct AccountID: Hashable, Sendable {
    package let value: Int64
    package init(_ value: Int64) { self.value = value }
}
