package import CloudModel
package import LocalContent
package import LocalMetadata

/// A rebuild's decision about the bytes of a blob. Pure.
package enum BlobVerdict: Hashable, Sendable {
    /// The log names these bytes: they are removed once the cloud is verified to hold them.
    case inCloud
    /// The log never named these bytes: they become a document in the folder of recovered documents.
    case recover
    /// A part of a download, or a remnant of a process: it cannot be a whole document.
    case leftover
    /// The origin is unknown, and the file has holes like a part of a download. It stays in the old state, set aside.
    case keepAside

    /// - Parameters:
    ///   - row: the blob's row; nil if there is none or it cannot be read.
    ///   - digest: the digest of the blob's bytes; nil if they cannot be read.
    ///   - isFollowed: whether the log still has everything read by the old state. A rolled-back cloud may know the
    ///     same bytes from a different document only.
    package init(
        row: LocalItem?, blob: BlobName, digest: Digest?, hasHoles: Bool, knowledge: LogKnowledge, isFollowed: Bool
    ) {
        guard let row, row.kind == .file, row.blob == blob else {
            self = Self.nameless(digest, hasHoles, knowledge)
            return
        }
        if Self.isPartInLog(row, knowledge) {
            self = .leftover
        } else if let digest, Self.isInLog(digest, row, knowledge, isFollowed) {
            self = .inCloud
        } else if Self.isPart(row, digest, hasHoles) {
            self = digest.map(knowledge.knows) == true ? .inCloud : .keepAside
        } else {
            self = .recover
        }
    }

    private static func isInLog(
        _ digest: Digest, _ row: LocalItem, _ knowledge: LogKnowledge, _ isFollowed: Bool
    ) -> Bool {
        guard !row.isEdited else { return false }
        let isAgreed = isFollowed && row.pendingSince == nil
        if knowledge.knows(digest, of: row.conflict?.document ?? row.item, isAgreed: isAgreed) { return true }
        // The log has it under a different id: merged folders, conflict versions that became items.
        return isFollowed && row.isKnown && row.pendingSince == nil && knowledge.knows(digest)
    }

    /// Whether the row describes a partial or absent copy of a content in the log, available for download.
    private static func isPartInLog(_ row: LocalItem, _ knowledge: LogKnowledge) -> Bool {
        guard row.presence != .whole, !row.isEdited, let sent = row.content?.digest else { return false }
        // A partial copy is of no use, so a possibly refused entry counts.
        return knowledge.knows(sent, of: row.conflict?.document ?? row.item, isAgreed: true)
    }

    /// Whether the bytes are a part of a download. A download that failed before its first byte leaves a file of the
    /// full size, a single hole that its row does not mention.
    private static func isPart(_ row: LocalItem, _ digest: Digest?, _ hasHoles: Bool) -> Bool {
        switch row.presence {
        case .whole: false
        case .partial: true
        case .none: hasHoles && !row.isEdited && (digest == nil || digest != row.content?.digest)
        }
    }

    private static func nameless(_ digest: Digest?, _ hasHoles: Bool, _ knowledge: LogKnowledge) -> BlobVerdict {
        guard let digest else { return .keepAside }
        if knowledge.knows(digest) { return .inCloud }
        return hasHoles ? .keepAside : .recover
    }
}
