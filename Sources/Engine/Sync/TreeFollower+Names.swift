package import CloudModel
import ContainerLog
import LocalMetadata

/// Resolves collisions when the log gives an item a name already taken on this device.
extension TreeFollower {
    /// Frees the name for `remote`. Returns false while it belongs to a new item about to reach the log: the log's
    /// rules then decide which of the two keeps the name.
    mutating func makeRoom(for remote: CloudItem, named name: ItemName, in parent: NodeID) throws -> Bool {
        guard var other = try transaction.local.item(named: name, in: parent), other.item != remote.id else {
            return true
        }
        if other.isConflictSibling {
            try giveWay(other)
            return true
        }
        if let elsewhere = try transaction.remote(other.item, in: container) {
            return try moveAside(other, to: elsewhere)
        }
        if try transaction.synced.item(other.item, in: container) != nil {
            // The other item is deleted in the log: following it frees the name, unless it was edited locally.
            try follow(other.item)
            guard let still = try transaction.local.item(named: name, in: parent), still.item == other.item else {
                return true
            }
            if still.kind == .folder, let agreed = try transaction.synced.item(still.item, in: container) {
                // It is emptied further up the call stack, or once its items can be shown where the log has them.
                try giveWay(still, agreed)
                return true
            }
            other = still
        }
        if other.kind == .folder, remote.body.kind == .folder, try !isPackage(name) {
            try become(remote, other)
            return true
        }
        if try other.isExcluded || other.uploadError != nil || transaction.local.isPaused(other) {
            try giveWay(other)
            return true
        }
        return false
    }

    /// Shows items of the log that waited for a freed name. Runs in the transaction that freed it: between two
    /// transactions a program would find nothing at that name, and save over a document that appears there a moment
    /// later.
    mutating func showWaiting() throws {
        guard !vacated.isEmpty else { return }
        // An item waiting for its name is unsettled, so mostly a single query suffices for all removals of a batch.
        guard try !transaction.synced.unsettled(in: container, limit: 1).isEmpty else { return vacated.removeAll() }
        let tree = transaction.remote(in: container)
        let folds = try tree.state().foldsNames
        // Each item is followed once, so the loop terminates.
        var followed: Set<ItemID> = []
        while let place = vacated.popFirst() {
            guard try transaction.local.item(named: place.name, in: place.parent) == nil,
                let folder = try transaction.local.item(place.parent),
                let waiting = try tree.child(of: folder.item, key: NameKey(place.name, folding: folds)),
                followed.insert(waiting).inserted
            else { continue }
            try follow(waiting)
        }
    }

    private func isPackage(_ name: ItemName) throws -> Bool {
        try transaction.local.packageTypes(of: container).isPackage(name)
    }

    /// Moves the other item to its different place in the log, current or future, or out of the way until then.
    private mutating func moveAside(_ other: LocalItem, to remote: CloudItem) throws -> Bool {
        try follow(other.item)
        guard let still = try transaction.local.item(other.node), still.parent == other.parent, still.name == other.name
        else {
            return true
        }
        // A program of this device moved it here: the log decides when it receives the move.
        guard let synced = try transaction.agreed(other.item, in: container), synced.name == still.name,
            try transaction.local.item(still.parent)?.item == synced.parent
        else { return false }
        try giveWay(still, synced)
        return true
    }

    /// Renames an item not moved by a program. Its agreed name changes too, or the new name would be sent as a move.
    private mutating func giveWay(_ item: LocalItem, _ agreed: CloudItem) throws {
        var agreed = agreed
        agreed.name = try giveWay(item)
        try transaction.synced.set(agreed, in: container)
    }

    /// Merges a local folder with a remote folder of the same name (as the reducer does).
    private mutating func become(_ remote: CloudItem, _ old: LocalItem) throws {
        let local = try includingFolder(old)
        if let present = try transaction.local.item(remote.id, in: container) {
            guard try transaction.local.isInside(present.node, local.node) else {
                try moveChildren(of: local, to: present)
                return try drop(local)
            }
            try dissolve(present, into: local)
        }
        var item = local
        item.item = remote.id
        item.isKnown = true
        // As in the log, where the earlier folder keeps its attributes.
        item.attributes = remote.attributes
        item.pendingSince = nil
        try transaction.local.update(item)
        try transaction.synced.settle(remote.id, in: container)
        effects.changedNodes.insert(item.node)
    }

    /// Renames an item whose name is not decided by the log to the first free `name 2.ext`.
    @discardableResult
    mutating func giveWay(_ item: LocalItem) throws -> ItemName {
        var renamed = item
        // Its new name may match no pattern, but this is no reason to upload it.
        if renamed.exclusion == .byPattern { renamed.exclusion = .own }
        renamed.name = try freeName(item.name, in: item.parent)
        renamed.changed = now
        try transaction.local.update(renamed)
        effects.noteMove(of: item)
        enter(item.parent, item.name)
        enter(item.parent, renamed.name)
        // A sibling's name follows from its document's, in the same way on all devices.
        if item.conflict != nil { freed.insert(item.parent) }
        return renamed.name
    }

    func freeName(_ name: ItemName, in folder: NodeID) throws -> ItemName {
        try name.firstFree { try transaction.local.item(named: $0, in: folder) != nil }
    }

    /// Merges two ids united in the log: the item shown under the first is shown under the second from now on.
    package mutating func unite(_ from: ItemID, into target: ItemID) throws {
        defer { effects.changedNodes.insert(.root) }
        guard !(try passOnToHeir(from)) else { return }
        guard var old = try transaction.local.item(from, in: container) else { return }
        let present = try transaction.local.item(target, in: container)
        if old.kind == .folder, let present {
            guard try transaction.local.isInside(present.node, old.node) else {
                try moveChildren(of: old, to: present)
                return try drop(old)
            }
            try dissolve(present, into: old)
        } else if let present {
            let isNeeded = try hasOwnContent(old, joining: target)
            guard isNeeded || isOpen(old.node) else { return try drop(old) }
            if try hasOwnContent(present, joining: target) {
                guard isNeeded else { return try drop(old) }
                return try standAlone(&old)
            }
            // The row in use by a program stays.
            try drop(present)
        } else if let departure = try transaction.pending.departure(of: target, in: container) {
            // The deletion on this device, also while it is being sent, applies only to the former content of the target.
            if !departure.isSent { try resolveDeletedContent(of: target, unlessIn: old) }
            try transaction.pending.removeDeparture(of: target, in: container)
        }
        try carryBase(of: old, to: target)
        if try isContentBeingSent(from) { try transaction.pending.noteSuccessor(of: from, is: old.node, in: container) }
        old.item = target
        try transaction.local.update(old)
    }

    /// Resolves the conflict version with the locally deleted content, as the deletion would have done. Keeps it if the
    /// remaining document shows the same content, or if it is shown itself.
    private func resolveDeletedContent(of id: ItemID, unlessIn kept: LocalItem) throws {
        guard let deleted = try transaction.synced.item(id, in: container)?.body.content?.reference,
            kept.isEdited || kept.content != deleted,
            let version = try transaction.remote(id, in: container)?.conflicts.first(where: {
                $0.content.reference == deleted
            })?.version,
            try !transaction.local.siblings(of: id, in: container).contains(where: { $0.conflict?.version == version })
        else { return }
        try transaction.pending.insert(Resolution(container: container, item: id, version: version))
    }

    /// Returns whether bytes would be lost with the row: the log does not have them yet, or a program is about to write some.
    private func hasOwnContent(_ file: LocalItem, joining target: ItemID) throws -> Bool {
        guard file.kind == .file, !file.isWriting else { return file.isWriting }
        guard try !transaction.synced.showsAgreed(file) else { return false }
        let present = try transaction.remote(target, in: container)?.body.content?.reference
        // The batch being sent is confirmed for this row: a replacement row would seem to be based on the batch's
        // content.
        return try file.isEdited || file.content != present || isContentBeingSent(file.item)
    }

    func isContentBeingSent(_ id: ItemID) throws -> Bool {
        guard let outbox = try transaction.pending.batch(of: container) else { return false }
        return try ChangeBatch(decoding: outbox.payload).changes.contains { change in
            switch change {
            case .create(id, _, _, _, _), .edit(id, _, _, _): true
            default: false
            }
        }
    }

    /// Merges an outer folder with an inner folder put there by a program. The inner id stays: the outer row takes it
    /// over, or the folder would be inside itself.
    private mutating func dissolve(_ inner: LocalItem, into outer: LocalItem) throws {
        try moveChildren(of: inner, to: outer)
        try drop(inner)
    }

    /// Moves the agreed state to the target: compared with the target's own agreed state, the shown state would look
    /// like local changes.
    func carryBase(of old: LocalItem, to target: ItemID) throws {
        guard let base = try transaction.synced.item(old.item, in: container),
            var agreed = try transaction.remote(target, in: container)
        else { return }
        (agreed.parent, agreed.name) = (base.parent, base.name)
        (agreed.attributes, agreed.body) = (base.attributes, base.body)
        try transaction.synced.set(agreed, in: container)
    }

    /// Turns this row into a separate document, because both have edits unknown to other devices.
    private mutating func standAlone(_ item: inout LocalItem) throws {
        item.item = newID()
        item.isKnown = false
        item.pendingSince = now
        try transaction.local.update(item)
    }

    private mutating func moveChildren(of old: LocalItem, to new: LocalItem) throws {
        while case let children = try transaction.local.children(of: old.node, limit: 500), !children.isEmpty {
            for child in children { try move(child, from: old, to: new) }
        }
    }

    private mutating func move(_ child: LocalItem, from old: LocalItem, to new: LocalItem) throws {
        var moved = child
        moved.parent = new.node
        if let twin = try transaction.local.item(named: child.name, in: new.node) {
            if child.kind == .folder, twin.kind == .folder, !child.isKnown, !child.isPackage {
                try moveChildren(of: child, to: twin)
                return try drop(child)
            }
            // A new item has no name in the log yet, so it gives way.
            if child.isKnown, !twin.isKnown {
                try giveWay(twin)
            } else {
                moved.name = try freeName(child.name, in: new.node)
                try agreeOnName(moved.name, of: child, from: old, to: new)
            }
        }
        try transaction.local.update(moved)
        effects.noteMove(of: child)
        enter(old.node, child.name)
        enter(new.node, moved.name)
    }

    /// Counts a known item's temporary name as agreed, or it would be sent as a rename: the item takes the log's name
    /// once that is free. A name given by a program is still sent.
    private func agreeOnName(_ name: ItemName, of child: LocalItem, from old: LocalItem, to new: LocalItem) throws {
        let tree = transaction.remote(in: container)
        guard var agreed = try transaction.agreed(child.item, in: container), agreed.name == child.name,
            try agreed.parent == tree.identity(of: old.item) || agreed.parent == tree.identity(of: new.item)
        else { return }
        agreed.name = name
        try transaction.synced.set(agreed, in: container)
    }
}
