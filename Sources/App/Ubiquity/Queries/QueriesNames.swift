import Queries

// Foundation has types of these names for something else.
typealias QueryPredicate = Queries.Predicate
typealias QueryPredicateError = Queries.PredicateError

/// Carries a value of Foundation that is not changed any more.
// Predicates, sort descriptors and lists of scopes are only read once they are set.
struct Fixed<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
