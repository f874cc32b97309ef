import Basics
package import CloudModel
import Cryptography

/// The digest of a device's files in order, like a log's digest of its entries (``LogPosition``). Two chains are equal
/// only if all files so far are, so that a copied database writing different files under the same numbers is noticed
/// even after their removal.
package struct FileChain: Hashable, Sendable {
    package var digest: Digest
    /// The size of all files.
    package var bytes: UInt64

    package init(digest: Digest = .zero, bytes: UInt64 = 0) {
        self.digest = digest
        self.bytes = bytes
    }

    package mutating func append(_ file: [UInt8]) {
        digest = digest.chained(file)
        bytes = bytes.saturatingSum(UInt64(file.count))
    }

    static func checksum(_ file: [UInt8]) -> UInt32 { CRC32C.checksum(file) }

    /// A part of the log.
    package struct Extent: Hashable, Sendable {
        package var files: UInt64
        package var bytes: UInt64

        package init(files: UInt64 = 0, bytes: UInt64 = 0) {
            self.files = files
            self.bytes = bytes
        }

        package func adding(_ other: Extent) -> Extent {
            Extent(files: files.saturatingSum(other.files), bytes: bytes.saturatingSum(other.bytes))
        }

        /// The remainder of this part of the log after `other`, its beginning.
        package func beyond(_ other: Extent) -> Extent {
            Extent(
                files: files > other.files ? files - other.files : 0,
                bytes: bytes > other.bytes ? bytes - other.bytes : 0)
        }
    }
}
