import CloudModel
import DaemonProtocol
public import Foundation

extension ObservableAttribute {
    /// Foundation's key of the attribute.
    var key: URLResourceKey {
        switch self {
        case .isUbiquitousItem: .isUbiquitousItemKey
        case .containerDisplayName: .ubiquitousItemContainerDisplayNameKey
        case .fact(let fact): URLResourceKey(fact)
        }
    }
}

extension URLResourceKey {
    /// Foundation's names consist of the same words as those of the facts.
    init(_ fact: DocumentFact) { self.init(rawValue: fact.resourceKey) }

    /// The attributes that a presenter observes by default: all that describe an item's state in the cloud.
    public static var observableUbiquityKeys: Set<URLResourceKey> { Set(ObservableAttribute.allCases.map(\.key)) }
}
