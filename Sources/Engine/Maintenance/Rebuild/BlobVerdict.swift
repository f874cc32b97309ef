package import CloudModel
package import LocalContent
package import LocalMetadata

/// What a rebuild does with the bytes of one blob. The decision is pure.
package enum BlobVerdict: Hashable, Sendable {
    /// The log names these bytes: they are removed once the cloud is verified to hold them.
    case inCloud
    /// The log never named these bytes: they become a document in the folder of recovered ones.
    case recover
    /// A part of a download, or a remnant of a process: it cannot be a whole document.
    case leftover
    /// The origin is not known, and the file has holes like a part of a download. It stays in the state that was set aside.
    case keepAside

    /// - Parameters:
    ///   - row: the row that names the blob; nil where there is none or it cannot be read.
    ///   - digest: the digest of the blob's bytes; nil where they cannot be read.
    ///   - isFollowed: whether the log still has all that the old state has read of it. A cloud that went back may know the same bytes of
    ///     another document only.
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
        // The log has it under another id: folders that were merged, conflict versions that became items.
        return isFollowed && row.isKnown && row.pendingSince == nil && knowledge.knows(digest)
    }

    /// Whether the row describes a partial or absent copy of a content that the log knows, which can be downloaded again.
    private static func isPartInLog(_ row: LocalItem, _ knowledge: LogKnowledge) -> Bool {
        guard row.presence != .whole, !row.isEdited, let sent = row.content?.digest else { return false }
        // A part is of no use to anyone, so an entry that may have been refused counts.
        return knowledge.knows(sent, of: row.conflict?.document ?? row.item, isAgreed: true)
    }

    /// Whether the bytes are a part of a download. A download that failed before its first byte leaves a file of the full size that is one
    /// hole, which its row does not know of.
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
