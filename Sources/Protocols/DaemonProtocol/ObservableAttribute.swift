package import CloudModel

/// An attribute of a document that a presenter can observe; the names are those of `URLResourceKey`, shortened.
package enum ObservableAttribute: Hashable, Sendable {
    case isUbiquitousItem, containerDisplayName
    /// A fact of the document's state that is observable.
    case fact(DocumentFact)
}

extension ObservableAttribute: CaseIterable {
    package static let allCases: [ObservableAttribute] =
        [.isUbiquitousItem, .containerDisplayName]
        + DocumentFact.allCases.filter(\.isObservable).map { .fact($0) }
}

/// The raw value is the attribute's name in messages.
extension ObservableAttribute: RawRepresentable, Codable {
    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    package var rawValue: String {
        switch self {
        case .isUbiquitousItem: "isUbiquitousItem"
        case .containerDisplayName: "containerDisplayName"
        case .fact(let fact): fact.rawValue
        }
    }
}
