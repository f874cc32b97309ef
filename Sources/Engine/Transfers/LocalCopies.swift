package import Chunking
import CloudModel

/// A local file with known chunks, such as the version to be replaced by a download.
package struct ChunkSource: Sendable {
    package let file: SharedDescriptor
    package let manifest: Manifest

    /// The file may be incomplete or changed: its bytes are verified before they are used.
    package init(file: SharedDescriptor, manifest: Manifest) {
        self.file = file
        self.manifest = manifest
    }
}

/// Finds chunks that need not be fetched because an older version, or a different part of the same content, has them.
struct LocalCopies: Sendable {
    struct Place: Sendable {
        let file: SharedDescriptor
        let offset: UInt64
    }

    private let manifest: Manifest
    private let destination: SharedDescriptor
    private let reuse: [ChunkID: Place]
    /// The indices of repeated chunks in the content.
    private let repeated: [ChunkID: [Int]]

    init(manifest: Manifest, destination: SharedDescriptor, reuse: ChunkSource?) {
        self.manifest = manifest
        self.destination = destination
        var indices: [ChunkID: [Int]] = [:]
        indices.reserveCapacity(manifest.chunks.count)
        for (index, chunk) in manifest.chunks.enumerated() { indices[chunk.id, default: []].append(index) }
        repeated = indices.filter { $0.value.count > 1 }
        self.reuse = reuse.map { Self.places(in: $0, of: indices) } ?? [:]
    }

    /// Returns where the bytes of the absent chunk `index` may be found on this device.
    func place(of index: Int, present: PresenceBitmap) -> Place? {
        let id = manifest.chunks[index].id
        if let place = reuse[id] { return place }
        guard let other = repeated[id]?.first(where: { present[$0] }) else { return nil }
        return Place(file: destination, offset: manifest.offset(of: other))
    }

    private static func places(in source: ChunkSource, of wanted: [ChunkID: [Int]]) -> [ChunkID: Place] {
        var places: [ChunkID: Place] = [:]
        for (index, chunk) in source.manifest.chunks.enumerated() where wanted[chunk.id] != nil {
            places[chunk.id] = Place(file: source.file, offset: source.manifest.offset(of: index))
        }
        return places
    }
}
