/// Why a test with real processes can not go on.
package struct EndToEndError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
