/// The use of a cloud's space, in bytes as counted by the cloud. Each byte counts once: a chunk needed more than once
/// counts for the first of its uses here.
package struct CloudUse: Codable, Hashable, Sendable {
    /// The current documents.
    package var documents: UInt64 = 0
    /// The part of ``documents`` shared between several.
    package var shared: UInt64 = 0
    /// Earlier versions and conflict versions of documents.
    package var versions: UInt64 = 0
    /// Deleted documents that can be restored, with their earlier versions.
    package var deleted: UInt64 = 0
    /// Published links, and chunks needed only by them.
    package var links: UInt64 = 0
    /// Bytes not named anywhere: incomplete uploads and, in a cloud collected by devices, removed chunks awaiting
    /// collection.
    package var unnamed: UInt64 = 0
    /// The logs, and lists of collections.
    package var log: UInt64 = 0

    package init() {}

    package var total: UInt64 {
        [documents, versions, deleted, links, unnamed, log].reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    package static func += (left: inout CloudUse, right: CloudUse) {
        for part in [\CloudUse.documents, \.shared, \.versions, \.deleted, \.links, \.unnamed, \.log] {
            left[keyPath: part] = left[keyPath: part].addingReportingOverflow(right[keyPath: part]).partialValue
        }
    }
}

/// The use of an account's or a cloud's space, with the bytes counted against its quota.
package struct CloudUseReport: Codable, Hashable, Sendable {
    package let parts: CloudUse
    /// The bytes counted by the quota: the sum of the parts, unless something changes during the count. Nil if nothing
    /// counts it.
    package let counted: UInt64?
    /// Nil for no quota.
    package let quota: UInt64?

    package init(parts: CloudUse, counted: UInt64? = nil, quota: UInt64? = nil) {
        self.parts = parts
        self.counted = counted
        self.quota = quota
    }
}
