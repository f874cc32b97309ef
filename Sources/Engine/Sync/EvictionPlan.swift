import CloudModel
package import LocalMetadata

/// The limits of the cache.
package struct CacheLimits: Sendable, Equatable {
    /// Bytes of materialised files; nil for no limit.
    package var size: UInt64?
    /// The number of bytes to leave free on the disk.
    package var minimumFree: UInt64

    package init(size: UInt64? = nil, minimumFree: UInt64 = 1 << 30) {
        self.size = size
        self.minimumFree = minimumFree
    }

    private static let key = "cacheLimit"

    /// Returns the cache's stored limit, possibly none; `otherwise` if nothing was ever stored.
    package static func storedSize(in metadata: MetadataDatabase, otherwise: UInt64? = nil) throws -> UInt64? {
        guard let stored = try metadata.read({ try $0.setting(key) }) else { return otherwise }
        return UInt64(String(decoding: stored, as: UTF8.self))
    }

    /// Stores the cache's limit for later starts; nil stores that there is none.
    package static func store(size: UInt64?, in metadata: MetadataDatabase) throws {
        try metadata.write(.freeing) { try $0.setSetting(key, .init((size.map(String.init) ?? "").utf8)) }
    }

    /// Returns how many bytes may be downloaded without a request. Keeps a reserve, or downloaded files would soon be evicted again.
    package func spare(present count: @autoclosure () throws -> UInt64, free: UInt64) rethrows -> UInt64 {
        let least = max(minimumFree, 64 << 20)
        let (floor, isTooMuch) = least.addingReportingOverflow(least / 4)
        guard !isTooMuch, free > floor else { return 0 }
        guard let size else { return free - floor }
        let (present, most) = (try count(), size - size / 10)
        return present < most ? min(free - floor, most - present) : 0
    }

    /// Returns how many bytes must be evicted. `present` is evaluated only if needed, because counting takes time.
    package func excess(present count: @autoclosure () throws -> UInt64, free: UInt64) rethrows -> UInt64 {
        guard size != nil || free < minimumFree else { return 0 }
        let present = try count()
        let overSize = size.map { present > $0 ? present - $0 : 0 } ?? 0
        let underFree = free < minimumFree ? minimumFree - free : 0
        return min(present, max(overSize, underFree))
    }
}

/// Selects the files to evict: the least recently used first, until enough bytes are freed.
package struct EvictionPlan: Sendable {
    package let victims: [LocalItem]

    /// - Parameter candidates: clean, unpinned files, least recently used first.
    package init(candidates: [LocalItem], excess: UInt64, isOpen: (NodeID) -> Bool) {
        var rest = excess
        var victims: [LocalItem] = []
        for item in candidates where rest > 0 && !isOpen(item.node) {
            victims.append(item)
            rest -= min(rest, item.size)
        }
        self.victims = victims
    }
}

/// Why a file's local bytes can not be dropped.
package enum EvictionRefusal: String, Sendable, Error {
    case isFolder = "it is a folder"
    case isOpen = "a program has it open"
    case isEdited = "its latest edit has not been uploaded yet"
    case isPinned = "it is pinned; run `ubiquity unpin` first"
    case isPresented = "a program that shows it wants to keep it"
    case isIgnoreFile = "its patterns decide which names stay on this device"
    case isExcluded = "it is excluded from sync, so this is the only copy"
    case isUnconfirmed = "the cloud has not confirmed that it has all of its bytes"

    /// Creates the refusal for a file; nil if its bytes may be dropped.
    package init?(_ item: LocalItem, isOpen: Bool, isKept: Bool) {
        if item.kind != .file {
            self = .isFolder
        } else if item.isExcluded {
            self = .isExcluded
        } else if item.isEdited || item.isWriting || (item.pendingSince != nil && !item.isConflictSibling)
            || (!item.isKnown && !item.isConflictSibling) || item.content == nil && item.size > 0
        {
            self = .isEdited
        } else if IgnoreFile.isName(item.name), item.size <= IgnoreFile.maximumSize {
            self = .isIgnoreFile
        } else if isKept {
            self = .isPinned
        } else if isOpen {
            self = .isOpen
        } else {
            return nil
        }
    }
}
