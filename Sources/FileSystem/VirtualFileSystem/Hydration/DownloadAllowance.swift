/// How much of a document a program may have downloaded by opening and reading it. The raw values are the words of
/// `programs.json` and `UBIQUITY_DOWNLOADS`.
package enum DownloadAllowance: String, CaseIterable, Hashable, Sendable {
    /// All reads.
    case full
    /// Reads beginning in the first ``headSize`` bytes.
    case head
    /// Nothing: opening an incomplete document fails.
    case deny

    /// The size of ``head``, at the beginning of a document: the bytes of a look (`TailRule.bytes`).
    package static let headSize: UInt64 = 256 << 10
}

/// Bytes of the document would have to be downloaded, and the caller has not specified its program's allowance.
package struct AllowanceNeeded: Error {
    package init() {}
}
