package import CloudModel

/// An item's changed or observed ubiquity attributes.
package struct UbiquityAttributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the set with a single fact of the document's state.
    package init(_ fact: DocumentFact) { self.init(rawValue: 1 << UInt64(fact.position)) }

    package static let isUbiquitous = UbiquityAttributes(rawValue: 1 << 60)
    package static let containerDisplayName = UbiquityAttributes(rawValue: 1 << 61)

    package static let all = UbiquityAttributes(rawValue: .max)
}
