import Basics
import CloudModel
import Glibc
package import LocalMetadata
import Synchronization

/// How `setxattr(2)` treats existing and missing attributes.
package enum ExtendedAttributeMode: Sendable { case any, create, replace }

/// Extended attributes: `user.ubiquity.*` are status and commands, all other `user.*` belong to the document and are
/// synced. Other namespaces are not supported (`EOPNOTSUPP`).
extension VirtualFileSystem {
    /// The most bytes for names and values of an item: sixteen times ext4's limit of a single block.
    static let extendedAttributesLimit = 65_536

    package func extendedAttribute(_ name: String, of node: NodeID) throws -> [UInt8] {
        if let key = StatusAttribute(name: name) {
            guard node != .root else { throw Errno(ENODATA) }
            if key == .other(.followed) { return Array(try followed(of: node).utf8) }
            recordCloses()
            guard let value = try key.value(in: status(of: node)) else { throw Errno(ENODATA) }
            return Array(value.utf8)
        }
        try checkNamespace(name)
        guard node != .root else { throw Errno(ENODATA) }
        let item = try itemOrRemoved(node)
        guard let value = item.attributes.extended[name] else { throw Errno(ENODATA) }
        return value
    }

    private func followed(of node: NodeID) throws -> String {
        let sequence = try metadata.read { try $0.followed(existing(node, $0).container) }
        guard let sequence else { throw Errno(ENODATA) }
        return "\(sequence)"
    }

    /// Returns the names of the document's own attributes. Those of this file system are hidden, so `cp -a`, `rsync -X`
    /// and `tar` never copy them.
    package func extendedAttributeNames(of node: NodeID) throws -> [String] {
        guard node != .root else { return [] }
        return try itemOrRemoved(node).attributes.extended.keys.filter(Self.isShown).sorted()
    }

    /// Returns whether a name is listed. A remote device may have written any name: only names valid in requests are
    /// listed, and no NUL splits a name in two.
    static func isShown(_ name: String) -> Bool {
        name.hasPrefix("user.") && (6...255).contains(name.utf8.count) && !name.utf8.contains(0)
            && !name.hasPrefix(StatusAttribute.prefix) && !ReservedAttribute.contains(name)
    }

    package func setExtendedAttribute(
        _ name: String, to value: [UInt8], of node: NodeID, mode: ExtendedAttributeMode
    ) throws {
        guard node != .root else { throw Errno(EPERM) }
        if let key = StatusAttribute(name: name) { return try command(key, value, node) }
        // This version does not know the meaning, and a later version may: a typing mistake must not look like a
        // success.
        guard !name.hasPrefix(StatusAttribute.prefix) else { throw Errno(EINVAL, "there is no attribute \(name)") }
        try checkNamespace(name)
        guard name.utf8.count <= 255 else { throw Errno(ERANGE) }
        // As on ext4: setting the current value is no change, and updates no time.
        if mode != .create, try itemOrRemoved(node).attributes.extended[name] == value { return }
        try changeExtended(of: node) { extended in
            if mode == .create, extended[name] != nil { throw Errno(EEXIST) }
            if mode == .replace, extended[name] == nil { throw Errno(ENODATA) }
            extended[name] = value
            let total = extended.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
            guard total <= Self.extendedAttributesLimit else { throw Errno(ENOSPC) }
        }
    }

    package func removeExtendedAttribute(_ name: String, of node: NodeID) throws {
        guard node != .root else { throw Errno(EPERM) }
        guard StatusAttribute(name: name) == nil else { throw Errno(EPERM) }
        try checkNamespace(name)
        try changeExtended(of: node) { extended in
            guard extended.removeValue(forKey: name) != nil else { throw Errno(ENODATA) }
        }
    }

    private func checkNamespace(_ name: String) throws(Errno) {
        guard name.hasPrefix("user.") else { throw Errno(EOPNOTSUPP) }
        guard name.utf8.count > 5 else { throw Errno(EINVAL) }
    }

    /// Declares folders with these extensions to be packages, in the whole container, replacing earlier declarations.
    package func setPackageTypes(_ types: Set<String>, in container: ContainerID) throws {
        guard let root = try metadata.read({ try $0.container(container)?.node }) else { throw Errno(ENOENT) }
        try changeExtended(of: root) { extended in
            extended = extended.filter { !$0.key.hasPrefix(ReservedAttribute.packageTypePrefix) }
            for type in types { extended[ReservedAttribute.packageType(type)] = [1] }
        }
    }

    /// Declares whether the container's names are compared without case. The log decides: it counts only while the
    /// container is empty.
    package func setFoldsNames(_ folds: Bool, in container: ContainerID) throws {
        guard let root = try metadata.read({ try $0.container(container)?.node }) else { throw Errno(ENOENT) }
        try changeExtended(of: root) { $0[ReservedAttribute.foldsNames] = folds ? [1] : nil }
    }

    private func changeExtended(of node: NodeID, _ body: (inout [String: [UInt8]]) throws -> Void) throws {
        func change(_ item: inout LocalItem) throws {
            guard item.kind == .file || item.kind == .folder else { throw Errno(EPERM) }
            try checkChangeable(item)
            try body(&item.attributes.extended)
            item.changed = time.now()
        }
        let row = try changeRowOrGone(node, gone: change) {
            try updateIfThere(node) { item, _ in
                try change(&item)
                // The last close records an edit, and this change with it; if nothing was written, the change has to be
                // recorded now.
                let waitsForClose = item.isWriting && item.isEdited && item.pendingSince == nil
                item.markPending(at: item.changed)
                if waitsForClose { item.pendingSince = nil }
            }
        }
        guard let item = row else { return }
        // Copies only local changes: the open file itself knows whether it is being written.
        openFiles[node]?.state.withLock { state in
            state.item?.attributes.extended = item.attributes.extended
            state.item?.changed = item.changed
        }
        notifyIfPending(item)
    }

    /// Sets an attribute of this file system. A read-only attribute may be set to its current value (tools do so when
    /// copying attributes), else `EPERM`.
    private func command(_ key: StatusAttribute, _ value: [UInt8], _ node: NodeID) throws {
        let text = String(decoding: value, as: UTF8.self)
        recordCloses()
        switch key {
        case .other(.download), .other(.evict):
            guard text == "1" else { throw Errno(EINVAL) }
            try source.request(key == .other(.download) ? .download : .evict, for: itemOrRemoved(node))
        case .other(.pin):
            guard let pin = PinState(text: text) else { throw Errno(EINVAL) }
            try setPin(pin, of: node)
        case .fact(let fact) where fact.isSettable:
            guard let flag = Bool(flag: text) else { throw Errno(EINVAL) }
            try set(fact, to: flag, of: node)
        default:
            guard try key.value(in: status(of: node)) == text else { throw Errno(EPERM) }
        }
    }

    private func set(_ fact: DocumentFact, to flag: Bool, of node: NodeID) throws {
        switch fact {
        case .isExcludedFromSync: try setExcluded(flag, of: node)
        case .isSyncPaused: try setPaused(flag, of: node)
        default: throw Errno(EPERM)
        }
    }

    /// Pauses the sync of an item, or resumes it; a folder pauses everything in it.
    ///
    /// - Throws: `EBUSY` on resuming an item in a folder that stays paused.
    package func setPaused(_ flag: Bool, of node: NodeID) throws {
        if !flag, case let item = try itemOrRemoved(node), try metadata.read({ try $0.local.isPaused(in: item.parent) })
        {
            throw Errno(EBUSY)
        }
        let item = try update(node) { $0.isPaused = flag }
        if flag { try source.request(.cancel, for: item) }
        source.localTreeChanged()
    }

    /// Sets an item's pin, to keep it local or let it be evicted again; a folder passes its pin on.
    package func setPin(_ pin: PinState, of node: NodeID) throws {
        // An unpinned item can be evicted.
        let item = try update(node, pin == .keep ? .ordinary : .freeing) { $0.pin = pin }
        try request(item, for: pin)
    }

    /// Requests the download for a pin, or ends that request.
    private func request(_ item: LocalItem, for pin: PinState) throws {
        switch pin {
        case .keep: try source.request(.keep, for: item)
        case .whenSpace: try source.request(.downloadWhenSpace, for: item)
        case .lazy, .evictOnUpdate: try source.request(.cancelKept, for: item)
        case .inherited:
            let isKept = try metadata.read { [.keep, .whenSpace].contains(try $0.local.effectivePin(of: item.node)) }
            if !isKept { try source.request(.cancelKept, for: item) }
        }
    }

    /// Sets the mount root's pin, inherited by containers, including later ones. The containers' own pins are removed.
    package func setRootPin(_ pin: PinState) throws {
        let use = pin == .keep ? SpaceUse.ordinary : .freeing
        try metadata.write(use) { try $0.local.setRootPin(pin) }
        let containers = try metadata.read { transaction in
            try transaction.containers().compactMap { try transaction.local.item($0.node) }
        }
        for container in containers {
            if container.pin != .inherited { _ = try update(container.node, use) { $0.pin = .inherited } }
            try request(container, for: pin)
        }
    }

    /// Removes a file from sync or adds it again. A removed file stays on this device and disappears from the rest.
    private func setExcluded(_ flag: Bool, of node: NodeID) throws {
        try changeRows { transaction in
            var item = try existing(node, transaction)
            try checkChangeable(item)
            guard item.kind == .file || item.kind == .symlink,
                flag ? item.exclusion != .byAttribute : item.isExcluded
            else {
                if item.kind == .folder { throw Errno(EOPNOTSUPP) }
                return
            }
            guard try flag || mayBeIncluded(item, transaction) else { throw Errno(EPERM) }
            item.exclusion = flag ? .byAttribute : .none
            if flag, item.isKnown {
                try checkArrived(item)
                try leaveDeparture(of: item, transaction)
                item.item = newID()
                item.isKnown = false
                if !item.isMaterialised { item.wanted = 255 }
            } else if !flag {
                try inheritIdentity(&item, from: nil, nil, transaction, at: time.now())
            }
            item.markPending(at: time.now())
            try transaction.local.update(item)
        }
        source.localTreeChanged()
    }

    /// Returns whether neither its name, its folder nor a pattern keeps an item on this device.
    private func mayBeIncluded(_ item: LocalItem, _ transaction: MetadataTransaction) throws -> Bool {
        let folder = try existing(item.parent, transaction)
        let scope = try ignoreScope(in: folder, transaction)?.scope
        return !stays(item.kind, item.name, in: folder) && scope?.match(item.name, isFolder: false) == nil
    }
}

extension Bool {
    fileprivate init?(flag: String) {
        switch flag {
        case "1", "true": self = true
        case "0", "false": self = false
        default: return nil
        }
    }
}

extension PinState {
    /// The pin's name in the attribute `user.ubiquity.pin`, on the command line and in `--json`.
    package var text: String {
        switch self {
        case .inherited: "inherited"
        case .lazy: "lazy"
        case .evictOnUpdate: "evictOnUpdate"
        case .keep: "keep"
        case .whenSpace: "whenSpace"
        }
    }

    package init?(text: String) {
        guard let state = PinState.allCases.first(where: { $0.text == text }) else { return nil }
        self = state
    }
}
