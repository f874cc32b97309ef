/// The error for bytes from a cloud or a disk that are not the expected chunk or manifest.
package struct ChunkError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The bytes differ from the stored bytes; further copies may be good.
        case damaged
        /// The end is missing.
        case truncated
        /// Written by a newer version of this program.
        case tooNew
        /// It is longer than any content of this version may be.
        case tooLarge
    }

    package let code: Code
    /// The problem and its remedy.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
