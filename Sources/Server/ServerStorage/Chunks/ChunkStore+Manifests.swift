package import Chunking
package import CloudModel
import Foundation
import Logging

/// The server's knowledge about manifests. A row of `chunk` records the size of the content described by its manifest
/// (`content`, or ``notAManifest``) and the number of the container's next removal of chunks at the time when all
/// chunks of the manifest were last found (`held`), so that a manifest is decompressed once and not with every entry
/// referring to it: until the next removal none is missing.
extension ChunkStore {
    /// Recorded in place of a content's size if the bytes are not a manifest.
    static let notAManifest: Int64 = -1
    /// The most bytes to which the manifests of one entry may inflate in total: those of some 900 GiB.
    static let maximumInflated = 128 << 20
    private static let step = 256

    /// The number of lists of chunks read and decompressed since the start.
    package var manifestReads: Int { manifests.readCount }

    struct ManifestRow: Sendable {
        let place: ChunkPlace
        var content: Int64?
        var held: Int64

        static let columns = "\(ChunkPlace.columns), content, held"

        init(_ row: StorageRow) throws {
            place = try ChunkPlace(row)
            content = try row["content"]
            held = try row["held"]
        }
    }

    /// Protects the chunks of these contents from collection. Manifests read before are checked without reading them
    /// again.
    ///
    /// - Returns: The missing chunks, at least one if any is missing.
    /// - Throws: `invalid` if a content's size differs from that of its manifest, or if its manifest is not one.
    func holdManifests(
        _ contents: [ContentReference], in name: ContainerName, of account: AccountID, onlyTrusted: Bool
    ) async throws -> [ChunkID] {
        let sizes = try Self.sizes(of: contents)
        // Before looking for the chunks. 0 is a list whose chunks were never all found.
        let nextRemoval = try await removals(in: name, of: account) + 1
        let rows = try await manifestRows(Array(sizes.keys), in: name, of: account)
        guard rows.count == sizes.count else { return sizes.keys.filter { id in !rows.contains { $0.place.id == id } } }
        for row in rows { try Self.check(row, sizes) }
        let stale = onlyTrusted ? rows : rows.filter { $0.held != nextRemoval }
        try await bound(stale, of: account)
        for part in stride(from: 0, to: stale.count, by: Self.step) {
            var found: [ManifestRow] = []
            var absent: [ChunkID] = []
            for var row in stale[part..<min(part + Self.step, stale.count)] where absent.isEmpty {
                try Task.checkCancellation()
                absent = try await hold(&row, in: name, of: account, onlyTrusted: onlyTrusted)
                if absent.isEmpty { row.held = nextRemoval }
                found.append(row)
            }
            try await keep(found, of: account)
            for row in found { try Self.check(row, sizes) }
            guard absent.isEmpty else { return absent }
        }
        return []
    }

    /// Returns a part of a content's chunks for a sender: the part containing the byte at `position`.
    ///
    /// - Returns: Nil if the content cannot be read: there is no chunk of that name, it is corrupt, or it has a
    ///   different size.
    package func manifestPart(
        holding position: UInt64, of content: ContentReference, in name: ContainerName, _ account: AccountID
    ) async throws -> ManifestList.Part? {
        guard let row = try await manifestRows([content.digest], in: name, of: account).first else { return nil }
        guard row.content == nil || row.content == Int64(clamping: content.size) else { return nil }
        switch try await manifests.read(row.place, for: account) {
        case .list(let list):
            guard list.size == content.size, position < content.size else { return nil }
            return list.part(list.part(holding: position))
        case .unreadable:
            // Devices with the manifest are asked to send it again.
            try await distrust([content.digest], in: name, of: account)
            return nil
        case .none: return nil
        }
    }

    /// Returns the size of each manifest's content. A manifest with two sizes in an entry is wrong in any case.
    private static func sizes(of contents: [ContentReference]) throws -> [ChunkID: Int64] {
        var sizes: [ChunkID: Int64] = [:]
        for content in contents {
            let size = Int64(clamping: content.size)
            guard sizes.updateValue(size, forKey: content.digest) ?? size == size else { throw mismatch }
        }
        return sizes
    }

    private static func check(_ row: ManifestRow, _ sizes: [ChunkID: Int64]) throws {
        if let content = row.content, content != sizes[row.place.id] { throw mismatch }
    }

    private static let mismatch = StorageError(
        .invalid, "The size of a content in the entry does not match its manifest. The entry was not stored.")

    /// Throws if decompressing the manifests would currently be too much for an entry or for the account. Nothing is
    /// decompressed before.
    private func bound(_ rows: [ManifestRow], of account: AccountID) async throws {
        var bytes = 0
        for part in stride(from: 0, to: rows.count, by: Self.step) {
            try Task.checkCancellation()
            let places = rows[part..<min(part + Self.step, rows.count)].map(\.place)
            bytes += try await manifests.plainLengths(of: places).reduce(0) { $0 + $1 + 4_096 }
            guard bytes <= Self.maximumInflated else {
                throw StorageError(
                    .tooLarge,
                    "The manifests of the entry have more than \(Self.maximumInflated) bytes when decompressed.")
            }
        }
        guard manifests.mayInflate(bytes, for: account) else {
            throw StorageError(.busy, "Too many manifests of the account were read; retry soon.")
        }
    }

    /// Reads a manifest, records the result, and holds its chunks part by part, so that a client's disconnection is
    /// noticed between them.
    private func hold(
        _ row: inout ManifestRow, in name: ContainerName, of account: AccountID, onlyTrusted: Bool
    ) async throws -> [ChunkID] {
        var number = 0
        while true {
            switch try await manifests.read(row.place, for: account) {
            case .unreadable:
                try await distrust([row.place.id], in: name, of: account)
                return [row.place.id]
            case .none:
                row.content = Self.notAManifest
                return []
            case .list(let list):
                row.content = Int64(clamping: list.size)
                guard number < list.partCount else { return [] }
                let ids = Set(list.part(number).chunks.map(\.id))
                let absent = try await hold(Array(ids), in: name, of: account, onlyTrusted: onlyTrusted)
                guard absent.isEmpty else { return absent }
                number += 1
            }
        }
    }

    private func manifestRows(
        _ ids: [ChunkID], in name: ContainerName, of account: AccountID
    ) async throws -> [ManifestRow] {
        var rows: [ManifestRow] = []
        for part in stride(from: 0, to: ids.count, by: Self.step) {
            rows += try await database.read { db in
                let container = try LogStore.requireContainer(name, account, db).id
                return try ids[part..<min(part + Self.step, ids.count)].compactMap { id in
                    try db.row(
                        "SELECT \(ManifestRow.columns) FROM chunk WHERE container = ? AND id = ?",
                        [container, Data(id.bytes)]
                    ).map(ManifestRow.init)
                }
            }
        }
        return rows
    }

    /// Stores the results. If the disk is too full for that, they are determined again next time.
    private func keep(_ rows: [ManifestRow], of account: AccountID) async throws {
        guard !rows.isEmpty else { return }
        do {
            try await database.commit(of: account) { db in
                for row in rows {
                    // Only for the frame read, not for a frame put meanwhile.
                    try db.execute(
                        "UPDATE chunk SET content = ?, held = ? WHERE container = ? AND id = ? AND size = ?",
                        [row.content, row.held, row.place.container, Data(row.place.id.bytes), row.place.size])
                }
            }
        } catch let error as StorageError where error.code == .full {
            log.warning("could not record the contents of a manifest: the disk is full")
        }
    }
}
