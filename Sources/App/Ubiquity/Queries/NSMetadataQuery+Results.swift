import DaemonProtocol
public import Foundation
import Synchronization

extension NSMetadataQuery {
    // MARK: Results

    /// The ``NSMetadataItem``s, or the delegate's replacements for them, in the order of ``sortDescriptors``.
    public var results: [Any] { replaced(state.withLock { $0.results }) }

    public var resultCount: Int { state.withLock { $0.results.count } }

    public func result(at index: Int) -> Any { replaced([state.withLock { $0.results[index] }])[0] }

    /// Returns the index of a result; `NSNotFound` if the object is not a result.
    public func index(ofResult result: Any) -> Int {
        results.firstIndex { $0 as AnyObject === result as AnyObject } ?? NSNotFound
    }

    public func value(ofAttribute name: String, forResultAt index: Int) -> Any? {
        state.withLock { $0.results[index] }.value(forAttribute: name)
    }

    /// Enumerates the results while updates are disabled.
    public func enumerateResults(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
        enumerateResults(options: [], using: block)
    }

    /// Enumerates the results while updates are disabled; with `.reverse` from the last to the first. Always serial.
    public func enumerateResults(
        options: NSEnumerationOptions, using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {
        disableUpdates()
        defer { enableUpdates() }
        let results = Array(results.enumerated())
        var stops = ObjCBool(false)
        for (index, item) in options.contains(.reverse) ? results.reversed() : results where !stops.boolValue {
            block(item, index, &stops)
        }
    }

    /// Disables updates until ``enableUpdates()`` was called as often. Changes in the meantime are posted then, each
    /// item once.
    public func disableUpdates() { state.withLock { $0.disables += 1 } }

    public func enableUpdates() {
        state.withLock { $0.disables = max(0, $0.disables - 1) }
        schedule()
    }

    /// The number of results with each value, for each of ``valueListAttributes``.
    public var valueLists: [String: [NSMetadataQueryAttributeValueTuple]] {
        let (attributes, items) = state.withLock { ($0.valueListAttributes, $0.results) }
        return Dictionary(
            attributes.map { attribute in
                let groups = Self.grouped(items, by: attribute)
                return (
                    attribute,
                    groups.map {
                        NSMetadataQueryAttributeValueTuple(
                            attribute: attribute, value: replaced($0.value, of: attribute), count: $0.items.count)
                    }
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The results grouped by the values of ``groupingAttributes``; the first attribute is the outermost.
    public var groupedResults: [NSMetadataQueryResultGroup] {
        let (attributes, items) = state.withLock { ($0.groupingAttributes ?? [], $0.results) }
        return groups(items, attributes[...])
    }

    private func groups(
        _ items: [NSMetadataItem], _ attributes: ArraySlice<String>
    ) -> [NSMetadataQueryResultGroup] {
        guard let attribute = attributes.first else { return [] }
        return Self.grouped(items, by: attribute).map { group in
            NSMetadataQueryResultGroup(
                attribute: attribute, value: replaced(group.value, of: attribute), results: replaced(group.items),
                subgroups: groups(group.items, attributes.dropFirst()))
        }
    }

    private static func grouped(
        _ items: [NSMetadataItem], by attribute: String
    ) -> [(value: Any?, items: [NSMetadataItem])] {
        Dictionary(grouping: items) { item in item.value(forAttribute: attribute).map { "\($0)" } ?? "" }
            .sorted { $0.key < $1.key }
            .map { ($0.value.first?.value(forAttribute: attribute), $0.value) }
    }

    // MARK: Updates

    /// Added, changed and removed items.
    typealias Changes = (added: [NSMetadataItem], changed: [NSMetadataItem], removed: [NSMetadataItem])

    /// Applies an update to the results. Called on the query's queue.
    func apply(_ update: MetadataFeed.Update) -> Changes {
        state.withLock { state in
            let filter = state.predicate.value.flatMap { $0.metadataPredicate == nil ? $0 : nil }
            var (added, changed, removed): ([NSMetadataItem], [NSMetadataItem], [NSMetadataItem]) = ([], [], [])
            for found in update.added + update.changed {
                let known = state.byNumber[found.item]
                let item = known ?? NSMetadataItem(found, root: state.root)
                item.update(found)
                let isWanted =
                    state.restriction.admits(found, root: state.root) && filter?.evaluate(with: item) ?? true
                if isWanted, known == nil { added.append(item) }
                if let known { if isWanted { changed.append(known) } else { removed.append(known) } }
                state.byNumber[found.item] = isWanted ? item : nil
            }
            removed += update.removed.compactMap { state.byNumber.removeValue(forKey: $0.item) }
            if !removed.isEmpty {
                let gone = Set(removed.map(ObjectIdentifier.init))
                state.results.removeAll { gone.contains(ObjectIdentifier($0)) }
            }
            state.results += added
            state.sort()
            return (added, changed, removed)
        }
    }
}

extension NSMetadataQuery.State {
    fileprivate mutating func sort() {
        guard !sortDescriptors.value.isEmpty else { return }
        let descriptors = sortDescriptors.value
        results.sort { left, right in
            for descriptor in descriptors {
                switch descriptor.compare(left, to: right) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return left.found.item < right.found.item
        }
    }
}

/// An attribute's value and its number of results.
// It is immutable.
open class NSMetadataQueryAttributeValueTuple: NSObject, @unchecked Sendable {
    public let attribute: String
    public let value: Any?
    public let count: Int

    init(attribute: String, value: Any?, count: Int) {
        self.attribute = attribute
        self.value = value
        self.count = count
    }
}

/// The results with the same value of an attribute.
// It is immutable.
open class NSMetadataQueryResultGroup: NSObject, @unchecked Sendable {
    public let attribute: String
    public let value: Any?
    public let results: [Any]
    public let subgroups: [NSMetadataQueryResultGroup]?

    init(attribute: String, value: Any?, results: [Any], subgroups: [NSMetadataQueryResultGroup]) {
        self.attribute = attribute
        self.value = value
        self.results = results
        self.subgroups = subgroups.isEmpty ? nil : subgroups
    }

    public var resultCount: Int { results.count }
    public func result(at index: Int) -> Any { results[index] }
}
