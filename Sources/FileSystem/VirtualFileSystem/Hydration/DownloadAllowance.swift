/// How much of a document a program may have downloaded by opening and reading it. The raw values are the words of `programs.json` and of
/// `UBIQUITY_DOWNLOADS`.
package enum DownloadAllowance: String, CaseIterable, Hashable, Sendable {
    /// Everything that the program reads.
    case full
    /// Reads that begin in the first ``headSize`` bytes.
    case head
    /// Nothing: the open of a document whose bytes are not all here fails.
    case deny

    /// The number of bytes at the beginning of a document that ``head`` covers: those of a look (`TailRule.bytes`).
    package static let headSize: UInt64 = 256 << 10
}

/// Bytes of the document would have to be downloaded, and the caller has not said what its program may download.
package struct AllowanceNeeded: Error {
    package init() {}
}
