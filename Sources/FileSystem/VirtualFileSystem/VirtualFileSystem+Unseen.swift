import Basics
import CloudModel
import ContainerLog
package import LocalMetadata
import Logging
import Synchronization

/// Saves over contents not seen by any local program: the log keeps both (docs/SEMANTICS.md).
extension VirtualFileSystem {
    /// Returns the content last seen by a program at that place; nil if none has opened it for a long time.
    func seen(at place: DocumentPlace) -> SeenContent? { seenContents.withLock { $0[place] } }

    /// Notes that a program sees the content of a document on opening it. While an edit waits for its upload, its base
    /// stays.
    package func noteSeen(_ item: LocalItem) {
        guard !item.isEdited, item.content != nil else { return }
        note(SeenContent(item: item.item, content: item.content), at: DocumentPlace(of: item))
    }

    func note(_ seen: SeenContent, at place: DocumentPlace) {
        seenContents.withLock { $0.note(seen, at: place) }
    }

    /// Returns whether a save over the document replaces its visible content: a local program has seen it, or stored
    /// it.
    package func hasSeen(_ document: LocalItem) throws -> Bool {
        // Writes of local programs are not in the row yet.
        if let file = openFiles[document.node], hasUnrecordedWrite(file) { return true }
        guard let seen = seen(at: DocumentPlace(of: document)) else { return true }
        return try metadata.read { try unseenContent(of: document, since: seen, $0) == nil }
    }

    /// Notes the content visible to a handle about to be opened: nothing if it cannot read, or empties the document.
    func noteOpen(_ state: inout OpenFile.State, canRead: Bool) {
        // A removed document's place may be taken.
        guard let item = state.item, !state.session.isUnlinked else { return }
        if canRead {
            noteSeen(item)
        } else if state.session.writers == 0 {
            state.session.opensUnread(seen(at: DocumentPlace(of: item)))
        }
    }

    /// Notes the base of an emptied document's edit, after its transaction was committed.
    func finishOverwriting(_ state: inout OpenFile.State, _ base: SeenContent?) {
        state.session.emptied()
        if let base, let item = state.item { note(base, at: DocumentPlace(of: item)) }
    }

    /// Records an edit by emptying a document, before the first byte goes, if the document shows a content not seen by
    /// any local program: after its death the daemon no longer knows the edit's base, and a program opening the
    /// document before the close is recorded has not seen that content either.
    func recordUnseenEdit(_ state: inout OpenFile.State) throws {
        guard let item = state.item, let seen = state.session.overwriting, state.download == nil, !item.isEdited,
            seen != SeenContent(item: item.item, content: item.content),
            try metadata.read({ try unseenContent(of: item, since: seen, $0) }) != nil
        else { return }
        var base: SeenContent?
        let isThere = try updateRow(of: item.node, &state) { row, _, transaction in
            base = try rebase(row, overwritten: seen, transaction)
            row.isEdited = true
            row.content = nil
        }
        guard isThere else { return }
        try metadata.makeDurable()
        finishOverwriting(&state, base)
    }

    /// Bases the edit of a document emptied by a program as ``rebase(_:on:_:)`` does.
    ///
    /// - Parameter seen: Nil for any other edit: it keeps its base.
    func rebase(
        _ document: LocalItem, overwritten seen: SeenContent?, _ transaction: MetadataTransaction
    ) throws -> SeenContent? {
        try seen.flatMap { try rebase(document, on: $0, transaction) }
    }

    /// Bases an edit replacing the whole content of a document on the content last seen by programs in its place, if a
    /// remote device has stored a different content since.
    ///
    /// - Parameters:
    ///   - document: The row before the edit.
    ///   - seen: The content last seen by programs at the document's name.
    /// - Returns: The edit's base; nil if already decided by an earlier edit.
    func rebase(
        _ document: LocalItem, on seen: SeenContent?, _ transaction: MetadataTransaction
    ) throws -> SeenContent? {
        guard document.isKnown, !document.isEdited, let content = document.content else { return nil }
        guard let seen, let unseen = try unseenContent(of: document, since: seen, transaction) else {
            return SeenContent(item: document.item, content: content)
        }
        return try rebase(unseen, in: document.container, on: seen, transaction)
    }

    /// Returns the agreed state of a document showing a remote content, if that differs from the content last seen in
    /// its place.
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

    /// Notes the content seen of a document leaving its place, if it differs from the content last shown: some programs
    /// save by deleting the document first.
    func noteDeparture(of document: LocalItem, _ transaction: MetadataTransaction) throws {
        let seen = seen(at: DocumentPlace(of: document))
        let unseen = try seen.flatMap { try unseenContent(of: document, since: $0, transaction) }
        departedUnseen.withLock { departed in
            // It may have departed before, and been restored since.
            departed.remove(document.item)
            if let seen, unseen != nil { departed.note(seen, at: document.item) }
        }
    }

    /// Does the same as ``rebase(_:on:_:)`` for a new document taking over a just deleted identity.
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
        // A different document's content at this name is no base for this document: the author of the edit has seen
        // none of its contents.
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
