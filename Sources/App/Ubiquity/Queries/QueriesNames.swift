import Queries

// Foundation has other types with these names.
typealias QueryPredicate = Queries.Predicate
typealias QueryPredicateError = Queries.PredicateError

/// Carries a Foundation value no longer subject to change.
// Predicates, sort descriptors and lists of scopes are only read once they are set.
struct Fixed<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
