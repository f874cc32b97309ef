import Basics
package import CloudModel
package import LocalMetadata
import Synchronization

/// A document's state, and the identity of the document.
@dynamicMemberLookup
package struct DocumentStatus: Sendable, Equatable {
    package var state: DocumentState
    /// Path, inside the container, of the document of which this is a conflict version.
    package var conflictOf: String?
    package var conflictVersion: VersionID?
    package var pin: PinState
    package var effectivePin: PinState
    /// Why an ignore file's pattern keeps it on this device; nil if none does.
    package var ignoreReason: VirtualFileSystem.IgnoreReason?
    package var item: ItemID
    package var version: VersionID?
    package var device: String?
    package var container: ContainerName

    package subscript<Value>(dynamicMember path: WritableKeyPath<DocumentState, Value>) -> Value {
        get { state[keyPath: path] }
        set { state[keyPath: path] = newValue }
    }
}

/// An item's computed status.
struct KnownStatus: Sendable {
    let item: LocalItem
    /// The progress included in the status. It changes without a write.
    let progress: TransferFractions
    let status: DocumentStatus
}

extension VirtualFileSystem {
    /// Returns an item's state, from the database and current transfers; never from the network.
    package func status(of node: NodeID) throws -> DocumentStatus {
        // Checked before the row is read: an edit recorded in between is then in the row.
        let isBeingEdited = hasUnnotedEdit(node)
        var result = try recordedStatus(of: node)
        if isBeingEdited { (result.isUploaded, result.percentUploaded) = (false, 0) }
        return result
    }

    /// Returns the state without unrecorded changes of open files. Nothing is read if nothing was written: programs
    /// request several attributes of an item, each of them twice.
    private func recordedStatus(of node: NodeID) throws -> DocumentStatus {
        let snapshot = metadata.snapshot
        if let snapshot, let known = statuses[node, snapshot], source.progress(of: known.item) == known.progress {
            return known.status
        }
        let item: LocalItem = try metadata.read { try existing(node, $0) }
        let progress = try progress(of: item)
        let result = try metadata.read { try status(of: item, progress, $0) }
        // A package's state depends on the progress of everything in it.
        if let snapshot, !item.isPackage, let progress = progress[node] {
            statuses.put([node: KnownStatus(item: item, progress: progress, status: result)], snapshot)
        }
        return result
    }

    private func hasUnnotedEdit(_ node: NodeID) -> Bool {
        openFiles[node].map(hasUnrecordedWrite) ?? false
    }

    package func status(of item: LocalItem) throws -> DocumentStatus {
        // Before the transaction, because the source may itself read the database.
        let progress = try progress(of: item)
        return try metadata.read { try status(of: item, progress, $0) }
    }

    /// Returns the progress of the transfers of a file, or of all files in a package.
    private func progress(of item: LocalItem) throws -> [NodeID: TransferFractions] {
        guard item.isPackage else { return [item.node: source.progress(of: item)] }
        var files: [LocalItem] = []
        try metadata.read { transaction in
            try transaction.local.forEach(below: item) { if $0.kind == .file { files.append($0) } }
        }
        return Dictionary(files.map { ($0.node, source.progress(of: $0)) }) { first, _ in first }
    }

    private func status(
        of known: LocalItem, _ progress: [NodeID: TransferFractions], _ transaction: MetadataTransaction
    ) throws -> DocumentStatus {
        // A download that ended after the row was read is no transfer, and only the current row has its result.
        let item = try transaction.local.item(known.node) ?? known
        let remote = try transaction.cloudItem(item)
        let state = try transaction.syncState(of: item) { progress[$0.node] ?? TransferFractions() }
        let document = try transaction.local.document(ofVersion: item)
        let version = document == nil ? nil : item.conflictPlace?.version
        return DocumentStatus(
            state: state,
            conflictOf: try document.map {
                try transaction.local.path(of: $0.node).map(\.description).joined(separator: "/")
            },
            conflictVersion: version, pin: item.pin,
            effectivePin: try effectivePin(of: item, transaction),
            ignoreReason: try ignoreReason(of: item, transaction), item: item.item,
            version: version ?? remote?.version,
            device: try transaction.cloudItem(transaction.lastChanged(in: item))?.device,
            container: try transaction.container(item.container)?.name ?? .cloudDocs)
    }

    /// Returns the item's own pin, else that of the nearest ancestor with a pin; ``PinState/lazy`` if there is none.
    package func effectivePin(of item: LocalItem, _ transaction: MetadataTransaction) throws -> PinState {
        let pin = try transaction.local.effectivePin(of: item.node)
        return pin == .inherited ? .lazy : pin
    }
}
