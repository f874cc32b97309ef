/// The use of a cloud's space, in bytes as the cloud counts them. Each byte counts once: a chunk that several things need counts for the first
/// of them here.
package struct CloudUse: Codable, Hashable, Sendable {
    /// The documents as they are.
    package var documents: UInt64 = 0
    /// Of ``documents``, what several documents share.
    package var shared: UInt64 = 0
    /// Earlier versions and conflict versions of documents.
    package var versions: UInt64 = 0
    /// Deleted documents that can be restored, with their earlier versions.
    package var deleted: UInt64 = 0
    /// Published links, and chunks needed by them alone.
    package var links: UInt64 = 0
    /// What nothing names: uploads that are not completed, and in a cloud that devices collect what was removed and is not collected yet.
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
    /// What the quota counts, in bytes: the sum of the parts, unless something changes while they are counted. Nil where nothing counts it.
    package let counted: UInt64?
    /// Nil where there is none.
    package let quota: UInt64?

    package init(parts: CloudUse, counted: UInt64? = nil, quota: UInt64? = nil) {
        self.parts = parts
        self.counted = counted
        self.quota = quota
    }
}
