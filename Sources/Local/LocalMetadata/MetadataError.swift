/// Why an operation of the metadata database failed.
package struct MetadataError: Error, CustomStringConvertible {
    package enum Code: Sendable {
        /// The file is not this program's database, or has impossible content.
        case damaged
        /// A newer version of this program wrote the database; nothing was changed.
        case tooNew
        /// The disk under the state directory is full.
        case noSpace
        /// A sync failed: the disk may lack commits, regardless of later syncs.
        case notDurable
        /// The state directory cannot be read or written.
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
