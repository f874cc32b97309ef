import Basics
import CloudModel

/// New content for a file, as recorded in the log.
struct Edit {
    var base: Digest?
    var content: ContentReference
    var modified: Timestamp
    var version: VersionID
    var author: DeviceID
    var authorName: String
}

/// The rules for contents: the current content and its conflict versions. Pure; knows only a single live file. An edit
/// takes constant time on average, regardless of the number of conflict versions.
struct ContestedFile {
    /// The file without its conflict versions.
    private var current: CloudItem
    private var versions: ConflictVersions
    /// The contents added as current content or conflict version since ``markSaved()``.
    private var unsaved: Set<Digest> = []
    /// Whether anything changed since ``markSaved()``.
    private(set) var isChanged = false

    init(_ item: CloudItem) {
        current = item
        current.conflicts = []
        versions = ConflictVersions(item.conflicts)
    }

    var id: ItemID { current.id }
    var digest: Digest? { current.digest }

    /// The file with its conflict versions; takes time proportional to their number.
    var item: CloudItem {
        var item = current
        item.conflicts = versions.sorted
        return item
    }

    mutating func markSaved() {
        unsaved = []
        isChanged = false
    }

    /// Whether this is the current content or a conflict version.
    func holds(_ digest: Digest) -> Bool { self.digest == digest || versions[digest] != nil }

    /// Returns the author of the current content or conflict version with this digest.
    func writer(of digest: Digest?) -> DeviceID? {
        self.digest == digest ? current.author : digest.flatMap { versions[$0]?.author }
    }

    /// Whether an edit from this base supersedes a content never written to the store, and so missing from the file's
    /// history.
    func supersedesUnsaved(_ base: Digest?) -> Bool {
        isCurrent(base) ? digest.map(unsaved.contains) ?? false : base.map(unsaved.contains) ?? false
    }

    /// Applies an edit. `now` is the log's time, the upper bound of modification times.
    ///
    /// - Returns: Whether anything changed.
    mutating func receive(_ edit: Edit, at now: Timestamp) -> Bool {
        let before = (current, versions.changes)
        let isCurrentBase = isCurrent(edit.base)
        // An edit of a conflict version replaces it: its author has seen that version.
        if let base = edit.base, !isCurrentBase { versions.remove(base) }

        if edit.content.digest == digest {
            // Equal bytes are no change; otherwise two devices could respond to each other's saves forever.
            current.attributes.modified =
                isCurrentBase ? edit.modified : max(current.attributes.modified, edit.modified)
        } else if isCurrentBase {
            become(edit)
        } else {
            contest(edit, at: now)
        }
        let hasChanged = before.0 != current || before.1 != versions.changes
        isChanged = isChanged || hasChanged
        return hasChanged
    }

    /// Removes a conflict version.
    /// - Returns: Whether it existed.
    mutating func dropConflict(_ digest: Digest) -> Bool {
        let hasDropped = versions.remove(digest)
        isChanged = isChanged || hasDropped
        return hasDropped
    }

    /// Removes the conflict versions with these ids.
    /// - Returns: Whether any existed.
    mutating func resolve(_ ids: [VersionID]) -> Bool {
        var hasDropped = false
        for id in ids { for digest in versions.digests(of: id) where dropConflict(digest) { hasDropped = true } }
        return hasDropped
    }

    /// Whether any of these conflict versions has never been in the store.
    func hasUnsaved(_ ids: [VersionID]) -> Bool {
        !unsaved.isEmpty && ids.contains { versions.digests(of: $0).contains(where: unsaved.contains) }
    }

    private func isCurrent(_ base: Digest?) -> Bool { digest == nil || digest == base }

    /// Resolves a race between two independent contents: the later modification becomes current, the earlier a conflict
    /// version.
    private mutating func contest(_ edit: Edit, at now: Timestamp) {
        guard let present = current.body.content else { return }
        let loser = ConflictVersion(
            version: current.version, content: present, modified: current.attributes.modified, author: current.author,
            authorName: current.authorName, base: edit.base)
        let isNewer =
            (min(edit.modified, now), edit.author, edit.version) > (
                min(loser.modified, now), loser.author, loser.version
            )
        if isNewer {
            become(edit)
            keep(loser)
        } else {
            // An equal conflict version is replaced, because its resolution would not have covered this new write of
            // the same bytes.
            versions.remove(edit.content.digest)
            keep(ConflictVersion(edit))
        }
    }

    private mutating func become(_ edit: Edit) {
        versions.remove(edit.content.digest)
        current.become(edit)
        unsaved.insert(edit.content.digest)
    }

    private mutating func keep(_ version: ConflictVersion) {
        guard let digest = version.digest, !holds(digest) else { return }
        versions.insert(version, digest)
        unsaved.insert(digest)
    }
}

extension CloudItem {
    var digest: Digest? { body.content?.reference?.digest }

    /// Whether this is the current content or a conflict version.
    func holds(_ digest: Digest) -> Bool {
        self.digest == digest || conflicts.contains { $0.digest == digest }
    }

    /// Returns the author of the current content or conflict version with this digest.
    func writer(of digest: Digest?) -> DeviceID? {
        self.digest == digest ? author : conflicts.first { $0.digest == digest }?.author
    }

    /// Makes the edit's content current. The conflict versions stay.
    mutating func become(_ edit: Edit) {
        body = .file(.stored(edit.content))
        attributes.modified = edit.modified
        version = edit.version
        author = edit.author
        authorName = edit.authorName
    }

    /// Adds conflict versions in the order of their versions, after equal ones. Skips those whose bytes the file
    /// already has.
    mutating func keep(_ added: [ConflictVersion]) {
        guard !added.isEmpty else { return }
        var held = Set(conflicts.compactMap(\.digest))
        if let digest { held.insert(digest) }
        var new = added.filter { version in version.digest.map { held.insert($0).inserted } ?? false }[...]
        var merged: [ConflictVersion] = []
        for version in conflicts {
            while let next = new.first, next.version < version.version { merged.append(new.removeFirst()) }
            merged.append(version)
        }
        conflicts = merged + new
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
