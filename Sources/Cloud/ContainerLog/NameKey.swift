/// The form used to compare names within a folder: the bytes, or in containers that fold names the case-folded text in
/// NFC.
package struct NameKey: Hashable, Sendable {
    package let bytes: [UInt8]
    package init(bytes: [UInt8]) { self.bytes = bytes }
}
