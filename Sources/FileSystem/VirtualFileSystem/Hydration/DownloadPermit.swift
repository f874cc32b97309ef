/// A program's download allowance on opening a placeholder, and its identity.
package struct DownloadPermit: Hashable, Sendable {
    package let allowance: DownloadAllowance
    /// The name of the program (``ProcessFacts/Program/family``); nil if it is not known.
    package let program: String?
    /// Whether ``DownloadBreaker`` counts its reads.
    package let isWatched: Bool
    /// How it finds out document types.
    package let looks: LookStyle

    package init(
        _ allowance: DownloadAllowance, program: String? = nil, isWatched: Bool = false, looks: LookStyle = .unknown
    ) {
        self.allowance = allowance
        self.program = program
        self.isWatched = isWatched
        self.looks = looks
    }

    /// For a caller that is no program, or where nothing is decided by program.
    package static let full = DownloadPermit(.full)
}
