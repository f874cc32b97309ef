import Foundation
import Synchronization

/// Replaces what a query has found, for who shows it. Both methods have a default that replaces nothing.
///
/// Apple's name: `NSMetadataQueryDelegate`.
public protocol NSMetadataQueryDelegate: AnyObject, Sendable {
    /// Called once for each item that is found, on the query's queue. The returned object replaces the item in the results.
    func metadataQuery(_ query: NSMetadataQuery, replacementObjectForResultObject result: NSMetadataItem) -> Any

    /// Asked for each value of ``NSMetadataQuery/valueLists`` and ``NSMetadataQuery/groupedResults``.
    func metadataQuery(
        _ query: NSMetadataQuery, replacementValueForAttribute attrName: String, value attrValue: Any
    ) -> Any
}

extension NSMetadataQueryDelegate {
    public func metadataQuery(
        _ query: NSMetadataQuery, replacementObjectForResultObject result: NSMetadataItem
    ) -> Any { result }

    public func metadataQuery(
        _ query: NSMetadataQuery, replacementValueForAttribute attrName: String, value attrValue: Any
    ) -> Any { attrValue }
}

extension NSMetadataQuery {
    /// Not kept alive by the query.
    public var delegate: (any NSMetadataQueryDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// What stands for items among the results. Not under the lock: the delegate may ask the query.
    func replaced(_ items: [NSMetadataItem]) -> [Any] {
        let known = state.withLock { $0.replacements }
        return items.map { known[ObjectIdentifier($0)]?.value ?? $0 }
    }

    /// Asks the delegate for those that came, and forgets those that went.
    func noteReplacements(added: [NSMetadataItem], removed: [NSMetadataItem]) {
        let delegate = delegate
        let new = added.map { item in
            (
                ObjectIdentifier(item),
                delegate.map { Fixed($0.metadataQuery(self, replacementObjectForResultObject: item)) }
            )
        }
        let gone = removed.map(ObjectIdentifier.init)
        state.withLock { state in
            for id in gone { state.replacements[id] = nil }
            for (id, replacement) in new { state.replacements[id] = replacement }
        }
    }

    func replaced(_ value: Any?, of attribute: String) -> Any? {
        guard let delegate, let value else { return value }
        return delegate.metadataQuery(self, replacementValueForAttribute: attribute, value: value)
    }
}
