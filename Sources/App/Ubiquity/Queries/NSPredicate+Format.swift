import Basics
public import Foundation
import Queries
import Synchronization

/// Format strings for queries, which Foundation does not support on Linux; docs/QUERIES.md describes the language.
extension NSPredicate {
    /// Creates a predicate on ``NSMetadataItem`` from a format such as `"%K LIKE[c] '*.txt' AND %K > %d"`.
    ///
    /// An invalid format matches nothing, and a query with it does not start; ``init(metadataFormat:arguments:)`` reports the error.
    public convenience init(format: String, _ arguments: Any...) {
        do throws(QueryPredicateError) { try self.init(read: format, arguments) } catch {
            self.init(wrong: error)
        }
    }

    public convenience init(format: String, argumentArray: [Any]?) {
        do throws(QueryPredicateError) { try self.init(read: format, argumentArray ?? []) } catch {
            self.init(wrong: error)
        }
    }

    /// Creates a predicate as ``init(format:_:)`` does, but throws an error naming the format's mistake
    /// and its position.
    public convenience init(metadataFormat format: String, arguments: [Any] = []) throws {
        do throws(QueryPredicateError) { try self.init(read: format, arguments) } catch {
            throw CoordinationFailure.error(.coderInvalidValue, error.description, at: nil)
        }
    }

    /// Creates a predicate from Spotlight's notation, such as `kMDItemFSName == "*.txt"cd && kMDItemFSSize > 100`,
    /// where the letters after a quoted text are options of the comparison.
    ///
    /// Returns nil for an invalid text. The notation also includes that of ``init(format:_:)``, without placeholders.
    public convenience init?(fromMetadataQueryString queryString: String) {
        do throws(QueryPredicateError) {
            self.init(try QueryPredicate(parsingMetadataQuery: queryString))
        } catch { return nil }
    }

    private convenience init(read format: String, _ arguments: [Any]) throws(QueryPredicateError) {
        self.init(try QueryPredicate(parsing: format, arguments: arguments.map(PredicateArgument.init)))
    }

    private convenience init(_ predicate: QueryPredicate) {
        let prepared = PreparedPredicate(predicate)
        self.init { object, _ in
            if let probe = object as? PredicateProbe { return probe.found(.success(predicate)) }
            return (object as? NSMetadataItem).map { prepared.matches(FoundSubject($0.found, root: $0.root)) } ?? false
        }
    }

    private convenience init(wrong error: QueryPredicateError) {
        self.init { object, _ in (object as? PredicateProbe)?.found(.failure(error)) ?? false }
    }

    /// The predicate's parsed format; nil for a predicate not created from a format.
    var metadataPredicate: Result<QueryPredicate, QueryPredicateError>? {
        let probe = PredicateProbe()
        _ = evaluate(with: probe)
        return probe.result
    }
}

/// An object to evaluate this library's predicates with: they then store their parsed format in it, since an
/// `NSPredicate` has no other place for it.
// Mutable state is behind a Mutex.
private final class PredicateProbe: NSObject, @unchecked Sendable {
    private let state = Mutex<Result<QueryPredicate, QueryPredicateError>?>(nil)

    var result: Result<QueryPredicate, QueryPredicateError>? { state.withLock { $0 } }

    func found(_ result: Result<QueryPredicate, QueryPredicateError>) -> Bool {
        state.withLock { $0 = result }
        return true
    }
}

extension PredicateArgument {
    fileprivate init(_ argument: Any) {
        if let list = argument as? [Any] {
            self = .list(list.map(Literal.init))
        } else {
            self = .value(Literal(argument))
        }
    }
}

extension Literal {
    fileprivate init(_ value: Any) {
        switch value {
        case let text as String: self = .text(Self.short(text))
        case let flag as Bool: self = .flag(flag)
        case let date as Date: self = .date(Int64(clamping: (date.timeIntervalSince1970 * 1e9).rounded()))
        case let number as any BinaryInteger: self = .number(Double(number))
        case let number as Double: self = .number(number)
        case let number as NSNumber: self = .number(number.doubleValue)
        case let url as URL: self = .text(url.path)
        case is NSNull: self = .null
        default: self = .text("\(value)")
        }
    }

    /// Converts Apple's downloading-status constants into the daemon's values.
    private static func short(_ text: String) -> String {
        let prefix = "NSMetadataUbiquitousItemDownloadingStatus"
        guard text.hasPrefix(prefix), text.count > prefix.count else { return text }
        let rest = text.dropFirst(prefix.count)
        return rest.prefix(1).lowercased() + rest.dropFirst()
    }
}

extension NSSortDescriptor {
    /// Creates a descriptor to sort ``NSMetadataItem``s by an attribute.
    public convenience init(key: String, ascending: Bool) {
        self.init(keyPath: \NSMetadataItem.[sortKey: key], ascending: ascending)
    }
}

extension NSMetadataItem {
    /// The attribute's value in a comparable form.
    fileprivate subscript(sortKey key: String) -> MetadataSortKey { MetadataSortKey(value(forAttribute: key)) }
}

/// An attribute's comparable value; items without a value come first.
struct MetadataSortKey: Comparable {
    private let number: Double
    private let text: String

    init(_ value: Any?) {
        switch value {
        case let date as Date: (number, text) = (date.timeIntervalSince1970, "")
        case let value as NSNumber: (number, text) = (value.doubleValue, "")
        case let value as String: (number, text) = (0, value)
        case let url as URL: (number, text) = (0, url.path)
        default: (number, text) = (-.infinity, "")
        }
    }

    static func < (left: MetadataSortKey, right: MetadataSortKey) -> Bool {
        left.number == right.number ? left.text < right.text : left.number < right.number
    }
}
