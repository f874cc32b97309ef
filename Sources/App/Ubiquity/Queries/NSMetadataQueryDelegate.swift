import Foundation
import Synchronization

/// Replaces a query's results, for display. The default implementations of both methods replace nothing.
///
/// Apple's name: `NSMetadataQueryDelegate`.
public protocol NSMetadataQueryDelegate: AnyObject, Sendable {
    /// Returns an object to replace the item in the results. Called once for each found item, on the query's queue.
    func metadataQuery(_ query: NSMetadataQuery, replacementObjectForResultObject result: NSMetadataItem) -> Any

    /// Returns a replacement for a value. Called for each value of ``NSMetadataQuery/valueLists`` and ``NSMetadataQuery/groupedResults``.
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
    /// The delegate, not retained by the query.
    public var delegate: (any NSMetadataQueryDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Returns the items with their replacements. The lock is not held: the delegate may use the query.
    func replaced(_ items: [NSMetadataItem]) -> [Any] {
        let known = state.withLock { $0.replacements }
        return items.map { known[ObjectIdentifier($0)]?.value ?? $0 }
    }

    /// Requests replacements of added items from the delegate, and removes those of removed items.
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
