import Basics
import Chunking
import CloudModel
import Glibc
import LocalContent
import LocalMetadata
import Sync
import Transfers

/// The result of inspecting a file's bytes on this device.
enum LocalBytes: Sendable {
    case good
    /// The bytes differ from the row: their description, and whether a program may have written them.
    case wrong(what: String, actual: ContentReference?, mayBeEdit: Bool)
    /// A partly downloaded file has chunks with wrong bytes.
    case wrongPart
    /// The bytes of an edit are missing.
    case lostEdit(String)
    /// The bytes of an edit differ from those written.
    case damagedEdit
}

extension EngineContext {
    /// Reads a file's bytes and compares them with its row.
    func inspect(_ item: LocalItem) async throws -> LocalBytes {
        let status: BlobStatus
        do throws(Errno) { status = try content.status(item.blob) } catch {
            let what =
                error.code == ENOENT ? "its bytes are missing on this device" : "its bytes cannot be read (\(error))"
            return item.isEdited ? .lostEdit(what) : .wrong(what: what, actual: nil, mayBeEdit: false)
        }
        if item.isEdited { return try await inspectEdit(item, status) }
        let file = SharedDescriptor(adopting: try content.open(item.blob))
        if item.presence == .partial { return try await isPartGood(item, file) ? .good : .wrongPart }
        let mayBeEdit = !content.isTime(item.attributes.modified, of: status)
        let actual: ContentReference
        do { actual = try await ContentHasher(pool: transfers.pool).reference(file) } catch let error as TransferError {
            return .wrong(what: "its bytes cannot be read (\(error))", actual: nil, mayBeEdit: mayBeEdit)
        }
        guard actual != item.content else { return .good }
        let what =
            actual.size == item.size
            ? "its bytes on this device are damaged"
            : "it has \(actual.size) bytes on this device instead of \(item.size)"
        return .wrong(what: what, actual: actual, mayBeEdit: mayBeEdit)
    }

    /// Inspects an edit. Its correct digest is known only if the edit waited long enough to be sealed.
    private func inspectEdit(_ item: LocalItem, _ status: BlobStatus) async throws -> LocalBytes {
        guard let seal = try content.seal(of: item.blob), seal.isOf(item, status) else { return .good }
        let file = SharedDescriptor(adopting: try content.open(item.blob))
        do {
            let actual = try await ContentHasher(pool: transfers.pool).reference(file)
            return seal.matches(actual.digest) ? .good : .damagedEdit
        } catch let error as TransferError { return .lostEdit("its bytes cannot be read (\(error))") }
    }

    private func isPartGood(_ item: LocalItem, _ file: SharedDescriptor) async throws -> Bool {
        guard let reference = item.content else { return true }
        let stored = try metadata.read { try $0.manifest(reference.digest) }
        let decoded = stored.flatMap { try? Manifest(decoding: $0, size: reference.size) }
        // Without the manifest the part cannot be verified; it is read through the manifest when it is next fetched.
        guard let manifest = Manifest(within: reference) ?? decoded else { return true }
        for (index, chunk) in manifest.chunks.enumerated() where item.hasChunk(index) {
            let offset = manifest.offset(of: index)
            let digest = try await transfers.pool.run { try Self.digest(file, offset, chunk.length) }
            guard digest == chunk.id else { return false }
        }
        return true
    }

    private static func digest(_ file: SharedDescriptor, _ offset: UInt64, _ length: Int) throws -> Digest {
        var bytes = [UInt8](repeating: 0, count: length)
        var done = 0
        while done < length {
            let count = try check("pread") { pread(file.raw, &bytes[done], length - done, off_t(offset) + off_t(done)) }
            guard count > 0 else { break }
            done += count
        }
        return Digest.of(bytes)
    }
}

extension LocalItem {
    /// Returns whether a partly fetched file has that chunk; see docs/STORAGE.md, `ranges`.
    fileprivate func hasChunk(_ index: Int) -> Bool {
        index / 8 < ranges.count && ranges[index / 8] & 1 << UInt8(index % 8) != 0
    }
}
