/// Decides how much a program may have downloaded, from the facts about its process. Pure.
///
/// Only a rule naming the program, or its own mark as background work, takes anything away: an unknown program, such as
/// a file manager copying files, gets everything.
package struct HydrationPolicy: Sendable {
    /// Why a program has its allowance.
    package enum Reason: Hashable, Sendable {
        /// Nothing is known about the process.
        case unknown
        /// It, or an ancestor, was started by `ubiquity run`.
        case declared
        /// It, or an ancestor, is named in a settings file.
        case named
        /// It, or an ancestor, is on the shipped list.
        case shipped
        case idleIO
        case idleScheduling
        case backgroundSlice
        /// No rule concerns it.
        case ordinary
    }

    package struct Verdict: Hashable, Sendable {
        package let allowance: DownloadAllowance
        package let reason: Reason

        package init(_ allowance: DownloadAllowance, _ reason: Reason) {
            self.allowance = allowance
            self.reason = reason
        }
    }

    /// The systemd slice for background work (systemd.special(7)).
    private static let slice = "background.slice"

    /// The settings, most important first.
    private let settings: [ProgramRules]

    package init(_ settings: [ProgramRules] = []) { self.settings = settings }

    /// - Parameter facts: nil if the process cannot be examined.
    package func verdict(for facts: ProcessFacts?) -> Verdict {
        guard let facts else { return Verdict(.full, .unknown) }
        let family = [facts.program] + facts.parents
        if let declared = first(of: family, \.declared) { return Verdict(declared, .declared) }
        if let named = first(of: family, named) { return Verdict(named, .named) }
        if BackgroundPrograms.contain(facts.program) { return Verdict(.deny, .shipped) }
        // A user working in a terminal gets the documents, whatever started the terminal.
        if !facts.hasTerminal, facts.parents.contains(where: BackgroundPrograms.contain) {
            return Verdict(.deny, .shipped)
        }
        if facts.hasIdleIO { return Verdict(.deny, .idleIO) }
        if facts.isScheduledIdle { return Verdict(.deny, .idleScheduling) }
        if facts.controlGroups.contains(where: isInBackground) { return Verdict(.deny, .backgroundSlice) }
        return Verdict(.full, .ordinary)
    }

    /// Returns whether ``DownloadBreaker`` counts the reads of a program with this verdict: only if no rule concerns
    /// it, and no user works in its terminal.
    package static func isWatched(_ facts: ProcessFacts, _ verdict: Verdict) -> Bool {
        verdict.reason == .ordinary && !facts.hasTerminal && !FileManagers.names.contains(facts.program.family)
    }

    private func named(_ program: ProcessFacts.Program) -> DownloadAllowance? {
        first(of: settings) { $0.allowance(of: program) }
    }

    private func isInBackground(_ group: String) -> Bool {
        // By bytes: a slash followed by a combining mark is no slash among a text's characters.
        group.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual(Self.slice.utf8) }
    }

    private func first<Element>(
        of elements: [Element], _ find: (Element) -> DownloadAllowance?
    ) -> DownloadAllowance? {
        for element in elements { if let found = find(element) { return found } }
        return nil
    }
}
