import CloudModel
import DaemonProtocol
public import Foundation

extension ObservableAttribute {
    /// Foundation's key for the attribute.
    var key: URLResourceKey {
        switch self {
        case .isUbiquitousItem: .isUbiquitousItemKey
        case .containerDisplayName: .ubiquitousItemContainerDisplayNameKey
        case .fact(let fact): URLResourceKey(fact)
        }
    }
}

extension URLResourceKey {
    /// Foundation's names consist of the same words as the facts' names.
    init(_ fact: DocumentFact) { self.init(rawValue: fact.resourceKey) }

    /// The attributes observed by a presenter by default: everything about an item's state in the cloud.
    public static var observableUbiquityKeys: Set<URLResourceKey> { Set(ObservableAttribute.allCases.map(\.key)) }
}
