import CloudModel
import ContainerLog
package import LocalMetadata
import Logging
import Synchronization

/// Saves over contents that no program of this device has seen: the log keeps both (docs/SEMANTICS.md).
extension VirtualFileSystem {
    /// Returns what a program has last seen at that place; nil if none has opened it for a long time.
    func seen(at place: DocumentPlace) -> SeenContent? { seenContents.withLock { $0[place] } }

    /// Notes that a program sees the content of a document which it opens. While an edit waits for its upload, what it is based on stays.
    package func noteSeen(_ item: LocalItem) {
        guard !item.isEdited, item.content != nil else { return }
        note(SeenContent(item: item.item, content: item.content), at: DocumentPlace(of: item))
    }

    func note(_ seen: SeenContent, at place: DocumentPlace) {
        seenContents.withLock { $0.note(seen, at: place) }
    }

    /// Returns whether a save over the document replaces what it shows: a program of this device has seen that, or stored it.
    package func hasSeen(_ document: LocalItem) throws -> Bool {
        // What a program of this device has written is not in the row yet.
        if openFiles[document.node]?.state.withLock({ hasUnrecordedWrite($0) }) == true { return true }
        guard let seen = seen(at: DocumentPlace(of: document)) else { return true }
        return try metadata.read { try unseenContent(of: document, since: seen, $0) == nil }
    }

    /// Notes what a handle that is about to be opened sees: nothing if it cannot read, or empties the document.
    func noteOpen(_ state: inout OpenFile.State, canRead: Bool) {
        // Another document may have the place of a removed one.
        guard let item = state.item, !state.isUnlinked else { return }
        if canRead {
            noteSeen(item)
        } else if state.writers == 0 {
            state.unread = seen(at: DocumentPlace(of: item))
        }
    }

    /// Notes what the edit of an emptied document is based on, after its transaction was committed.
    func finishOverwriting(_ state: inout OpenFile.State, _ base: SeenContent?) {
        (state.unread, state.overwriting) = (nil, nil)
        if let base, let item = state.item { note(base, at: DocumentPlace(of: item)) }
    }

    /// Records the edit of a document that a program empties, before the first byte goes, where the document shows a content that no program
    /// here has seen: after its death the daemon no longer knows what the edit is based on, and a program that opens the document
    /// before the close is recorded has not seen that content either.
    func recordUnseenEdit(_ state: inout OpenFile.State) throws {
        guard let item = state.item, let seen = state.overwriting, state.download == nil, !item.isEdited,
            seen != SeenContent(item: item.item, content: item.content),
            try metadata.read({ try unseenContent(of: item, since: seen, $0) }) != nil
        else { return }
        var base: SeenContent?
        let isThere = try updateRow(of: &state) { row, _, transaction in
            base = try rebase(row, overwritten: seen, transaction)
            row.isEdited = true
            row.content = nil
        }
        guard isThere else { return }
        try metadata.makeDurable()
        finishOverwriting(&state, base)
    }

    /// Bases the edit of a document that a program has emptied as ``rebase(_:on:_:)`` does.
    ///
    /// - Parameter seen: Nil for any other edit, which keeps its base.
    func rebase(
        _ document: LocalItem, overwritten seen: SeenContent?, _ transaction: MetadataTransaction
    ) throws -> SeenContent? {
        try seen.flatMap { try rebase(document, on: $0, transaction) }
    }

    /// Bases an edit that replaces the whole content of a document on what programs have last seen in its place, if that is not the
    /// content which another device has stored since.
    ///
    /// - Parameters:
    ///   - document: The row before the edit.
    ///   - seen: What programs have last seen at the document's name.
    /// - Returns: What the edit is based on; nil if that was decided by an earlier edit.
    func rebase(
        _ document: LocalItem, on seen: SeenContent?, _ transaction: MetadataTransaction
    ) throws -> SeenContent? {
        guard document.isKnown, !document.isEdited, let content = document.content else { return nil }
        guard let seen, let unseen = try unseenContent(of: document, since: seen, transaction) else {
            return SeenContent(item: document.item, content: content)
        }
        return try rebase(unseen, in: document.container, on: seen, transaction)
    }

    /// Returns the agreed state of a document that shows another device's content, if that is not what was last seen in its place.
    private func unseenContent(
        of document: LocalItem, since seen: SeenContent, _ transaction: MetadataTransaction
    ) throws -> CloudItem? {
        guard document.isKnown, !document.isEdited, let content = document.content,
            seen != SeenContent(item: document.item, content: content),
            try transaction.local.package(around: document.parent) == nil,
            let agreed = try transaction.synced.item(document.item, in: document.container),
            agreed.body.content?.reference == content, agreed.author != device()
        else { return nil }
        return agreed
    }

    /// Notes what programs had seen of a document that leaves its place, if that is not what it showed last: some programs save by deleting
    /// the document first.
    func noteDeparture(of document: LocalItem, _ transaction: MetadataTransaction) throws {
        let seen = seen(at: DocumentPlace(of: document))
        let unseen = try seen.flatMap { try unseenContent(of: document, since: $0, transaction) }
        departedUnseen.withLock { departed in
            // It may have departed before, and been restored since.
            departed.remove(document.item)
            if let seen, unseen != nil { departed.note(seen, at: document.item) }
        }
    }

    /// Does the same as ``rebase(_:on:_:)`` for a new document that takes over the identity of one which was just deleted.
    func rebase(_ departure: Departure, _ transaction: MetadataTransaction) throws -> SeenContent? {
        guard let agreed = try transaction.synced.item(departure.item, in: departure.container),
            let content = agreed.body.content?.reference
        else { return nil }
        guard let seen = departedUnseen.withLock({ $0[departure.item] }) else {
            return SeenContent(item: departure.item, content: content)
        }
        return try rebase(agreed, in: departure.container, on: seen, transaction)
    }

    private func rebase(
        _ document: CloudItem, in container: ContainerID, on seen: SeenContent,
        _ transaction: MetadataTransaction
    ) throws -> SeenContent {
        // What another document showed at this name is no base of this one's: the author of the edit has seen none of its contents.
        let base = seen.item == document.id ? seen.content : nil
        var agreed = document
        agreed.body = .file(base.map(FileContent.stored) ?? .announced(size: 0))
        try transaction.synced.set(agreed, in: container)
        log.notice(
            "a save replaced a content that no program here had seen; both are kept",
            metadata: ["item": "\(document.id)"])
        return SeenContent(item: document.id, content: base)
    }
}
