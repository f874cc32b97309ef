package import CloudModel

/// A document's attribute observable by a presenter; the names are those of `URLResourceKey`, shortened.
package enum ObservableAttribute: Hashable, Sendable {
    case isUbiquitousItem, containerDisplayName
    /// An observable fact of the document's state.
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
