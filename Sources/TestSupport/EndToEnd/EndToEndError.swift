/// The reason why a test with real processes cannot continue.
package struct EndToEndError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
