/// Why the metadata database did not do what it was asked.
package struct MetadataError: Error, CustomStringConvertible {
    package enum Code: Sendable {
        /// The file is not a database of ours, or its content can not be.
        case damaged
        /// Written by a newer version of this program; nothing was touched.
        case tooNew
        /// The disk under the state directory is full.
        case noSpace
        /// A sync failed: the disk may not have what was committed, whatever it says later.
        case notDurable
        /// The state directory can not be read or written.
        case unusable
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    static func damagedRow(_ what: String) -> MetadataError {
        MetadataError(.damaged, "The metadata database holds \(what). Run `ubiquity check`, then `ubiquity reset`.")
    }
}
