import CloudModel
import DaemonProtocol
public import Foundation

extension ObservableAttribute {
    /// The name that Foundation has for it.
    var key: URLResourceKey {
        switch self {
        case .isUbiquitousItem: .isUbiquitousItemKey
        case .containerDisplayName: .ubiquitousItemContainerDisplayNameKey
        case .fact(let fact): URLResourceKey(fact)
        }
    }
}

extension URLResourceKey {
    /// Foundation's names are made of the same words as those of the facts.
    init(_ fact: DocumentFact) { self.init(rawValue: fact.resourceKey) }

    /// What a presenter observes by default: every state that an item has in the cloud.
    public static var observableUbiquityKeys: Set<URLResourceKey> { Set(ObservableAttribute.allCases.map(\.key)) }
}
