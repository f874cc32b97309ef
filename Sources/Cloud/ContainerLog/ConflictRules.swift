import Basics
import CloudModel

/// New content for a file, as it stands in the log.
struct Edit {
    var base: Digest?
    var content: ContentReference
    var modified: Timestamp
    var version: VersionID
    var author: DeviceID
    var authorName: String
}

/// The rules for contents: who is current and who waits in the conflicts. Pure; knows one live file and nothing around
/// it.
extension CloudItem {
    var digest: Digest? { body.content?.reference?.digest }

    /// Whether this content is the present one or one of the conflicts.
    func holds(_ digest: Digest) -> Bool {
        self.digest == digest || conflicts.contains { $0.digest == digest }
    }

    /// Who wrote the present content or conflict version of this digest.
    func writer(of digest: Digest?) -> DeviceID? {
        self.digest == digest ? author : conflicts.first { $0.digest == digest }?.author
    }

    /// Takes an edit in. `now` is the log's time: no modification counts as later than that.
    mutating func receive(_ edit: Edit, at now: Timestamp) {
        let isCurrentBase = digest == nil || digest == edit.base
        // Whoever started from a conflict version has seen it: what they wrote stands in its place.
        if let base = edit.base, !isCurrentBase { dropConflict(base) }

        if edit.content.digest == digest {
            // Equal bytes are no change, or two devices could answer each other's saves for ever.
            attributes.modified = isCurrentBase ? edit.modified : max(attributes.modified, edit.modified)
        } else if isCurrentBase {
            become(edit)
        } else {
            contest(edit, at: now)
        }
    }

    /// Two contents that did not know of each other: the later modification is current, the other one a conflict.
    private mutating func contest(_ edit: Edit, at now: Timestamp) {
        guard let present = body.content else { return }
        let loser = ConflictVersion(
            version: version, content: present, modified: attributes.modified, author: author, authorName: authorName,
            base: edit.base)
        let isNewer =
            (min(edit.modified, now), edit.author, edit.version) > (
                min(loser.modified, now), loser.author, loser.version
            )
        if isNewer {
            become(edit)
            keep(loser)
        } else {
            // An equal conflict gives way: who resolves that one has not seen that the bytes were written again.
            dropConflict(edit.content.digest)
            keep(ConflictVersion(edit))
        }
    }

    mutating func become(_ edit: Edit) {
        dropConflict(edit.content.digest)
        body = .file(.stored(edit.content))
        attributes.modified = edit.modified
        version = edit.version
        author = edit.author
        authorName = edit.authorName
    }

    /// Answers whether there was one.
    @discardableResult
    mutating func dropConflict(_ digest: Digest) -> Bool {
        let before = conflicts.count
        conflicts.removeAll { $0.digest == digest }
        return conflicts.count < before
    }

    /// Adds a conflict unless its bytes are kept already.
    mutating func keep(_ conflict: ConflictVersion) {
        guard let digest = conflict.digest, !holds(digest) else { return }
        let place = conflicts.firstIndex { $0.version > conflict.version } ?? conflicts.endIndex
        conflicts.insert(conflict, at: place)
    }
}

extension ConflictVersion {
    var digest: Digest? { content.reference?.digest }

    fileprivate init(_ edit: Edit) {
        self.init(
            version: edit.version, content: .stored(edit.content), modified: edit.modified, author: edit.author,
            authorName: edit.authorName, base: edit.base)
    }
}
