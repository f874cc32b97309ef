import Basics
package import CloudModel
import Foundation

/// Identifies the file or the object of a chunk's frame.
package struct ChunkPlace: Hashable, Sendable {
    package let container: Int64
    package let id: ChunkID
    /// The size of the frame in bytes. It is part of the name: frames of one chunk may differ, and a row refers to
    /// exactly one of them.
    package let size: Int
    /// Nil for a file; a later put of the same frame replaces it.
    let suffix: ObjectSuffix?

    init(container: Int64, id: ChunkID, size: Int, suffix: ObjectSuffix? = nil) {
        self.container = container
        self.id = id
        self.size = size
        self.suffix = suffix
    }

    /// The path below the folder of chunks: `CONTAINER/AB/CDEF…-SIZE`, and in a bucket `.EPOCH-RANDOM`.
    var name: String {
        let digits = id.description
        let end = suffix.map { ".\($0.text)" } ?? ""
        return "\(container)/\(digits.prefix(2))/\(digits.dropFirst(2))-\(size)\(end)"
    }

    /// Returns a place for a new frame, unused by earlier puts if there are epochs.
    ///
    /// - Parameter epoch: That of ``ChunkObjects/epoch(_:)``.
    func renewed(in epoch: Int64?) -> ChunkPlace {
        let suffix = epoch.map { ObjectSuffix(epoch: $0, random: .random(in: 0...(.max))) }
        return ChunkPlace(container: container, id: id, size: size, suffix: suffix)
    }

    /// Parses a name; nil if it has a different form.
    init?(name: String) {
        let parts = name.split(separator: "/")
        guard parts.count == 3, let container = Int64(parts[0]) else { return nil }
        let ends = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let frame = ends[0].split(separator: "-")
        guard frame.count == 2, let size = Int(frame[1]), let bytes = Hex.decode("\(parts[1])\(frame[0])"),
            let id = ChunkID(bytes)
        else { return nil }
        guard ends.count > 1 else {
            self.init(container: container, id: id, size: size)
            return
        }
        guard let suffix = ObjectSuffix(ends[1]) else { return nil }
        self.init(container: container, id: id, size: size, suffix: suffix)
    }
}

extension ChunkPlace {
    /// The columns of `chunk` needed for reading a place.
    static let columns = "container, id, size, object"

    init(_ row: StorageRow) throws {
        guard let id = ChunkID(try row["id"] as Data) else {
            throw StorageError(.damaged, "The database has a chunk without a name.")
        }
        let suffix = try (row["object"] as String?).map { text in
            guard let suffix = ObjectSuffix(text) else {
                throw StorageError(.damaged, "The database has a chunk whose object has no valid name.")
            }
            return suffix
        }
        self.init(container: try row["container"], id: id, size: try row["size"], suffix: suffix)
    }
}
