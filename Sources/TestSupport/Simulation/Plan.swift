import DeviceSupport
import TestSupport

/// The parameters of a history: the same plan gives the same history, on every machine.
package struct Plan: Hashable, Sendable {
    package let seed: UInt64
    /// The seed's steps to run. Each step has its own source of randomness, so leaving one out changes no other.
    package var steps: [Int]
    /// The deliberate mistake, to check that the campaign finds it.
    package var bug: SeededBug?
    package let vocabulary: Vocabulary

    package init(seed: UInt64, steps: Int, bug: SeededBug? = nil, vocabulary: Vocabulary = .usual) {
        self.seed = seed
        self.steps = Array(0..<steps)
        self.bug = bug
        self.vocabulary = vocabulary
    }

    /// Returns a step's source of randomness, or the beginning's.
    func random(of step: Int?) -> SeededGenerator {
        SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(step.map { $0 + 1 } ?? 0))
    }
}

/// The set of possible user actions. A seed gives a different history in a different vocabulary, so a seed that once
/// found a failure keeps its vocabulary.
package enum Vocabulary: Int, Hashable, Sendable, CaseIterable {
    /// Saves, deletions, renames, attributes, conflicts.
    case first = 1
    /// Also copies on a device and between two devices, swaps of kind, deliberately taken names, packages in packages,
    /// attributes of conflict versions.
    case second = 2
    /// Also folders and packages whose content moves out before they are deleted.
    case third = 3
    /// Also saves of texts read by a program long before.
    case fourth = 4
    /// The same in a container that ignores the case of names, with names differing only in case. A separate
    /// vocabulary, because most such names are refused, and users do less.
    case fifth = 5
    /// The fourth, plus devices delaying closes.
    case sixth = 6
    /// The sixth, with returning states of devices and copies of the cloud, and devices started from a copy of an
    /// existing device's state.
    case seventh = 7
    /// The seventh, with users restoring deleted items.
    case eighth = 8

    /// The default vocabulary of histories.
    package static let usual = sixth

    var hasWaitingCloses: Bool { [.sixth, .seventh, .eighth].contains(self) }
    var hasPast: Bool { self == .seventh || hasRestores }
    var hasRestores: Bool { self == .eighth }

    /// The number of actions, each weighted by its likelihood.
    var actions: Int {
        switch self {
        case .first: 100
        case .second: 140
        case .third: 154
        case .fourth, .sixth, .seventh, .eighth: 162
        case .fifth: 184
        }
    }

    /// Whether the container ignores case, or a device wants it to.
    var ignoresCase: Bool { self == .fifth }
}

/// The outcome of a history.
package struct Outcome: Sendable {
    package let plan: Plan
    package let problems: [String]
    package let story: [String]
    /// A digest of all events and of all devices' final states.
    package let digest: String
    /// The entries of the container's log.
    package let log: [[UInt8]]

    /// A readable report: how to reproduce the history, the problem, and the steps leading to it.
    package var report: String {
        let vocabulary = plan.vocabulary == .usual ? "" : " VOCABULARY=\(plan.vocabulary.rawValue)"
        var lines = ["make simulate SEED=\(plan.seed) STEPS=\((plan.steps.last ?? 0) + 1)\(vocabulary)"]
        lines += problems.map { "- \($0)" }
        return (lines + story).joined(separator: "\n")
    }
}
