package import CloudModel

/// The ubiquity attributes of an item that changed or that a presenter observes.
package struct UbiquityAttributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Makes the set with one fact of the document's state.
    package init(_ fact: DocumentFact) { self.init(rawValue: 1 << UInt64(fact.position)) }

    package static let isUbiquitous = UbiquityAttributes(rawValue: 1 << 60)
    package static let containerDisplayName = UbiquityAttributes(rawValue: 1 << 61)

    package static let all = UbiquityAttributes(rawValue: .max)
}
