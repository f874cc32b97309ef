/// The error for bytes from a cloud or a disk that are not the chunk or manifest they should be.
package struct ChunkError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The bytes are not those that were stored; another copy may be good.
        case damaged
        /// The end is missing.
        case truncated
        /// Written by a newer version of this program.
        case tooNew
        /// It is longer than any content of this version may be.
        case tooLarge
    }

    package let code: Code
    /// What is wrong, and what to do about it.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
