/// A decoder of untrusted bytes, driven by a fuzzer; tests replay found inputs.
struct FuzzTarget: Sendable {
    /// The name of its folder in `Corpus`, and its name on the command line.
    let name: String
    /// Decodes the bytes and returns whether they were valid. Throws only ``Violation``.
    let decode: @Sendable ([UInt8]) throws -> Bool
    /// Real encodings, as a fuzzer's starting inputs.
    let seeds: @Sendable () throws -> [[UInt8]]

    static let all = [
        entries, manifests, chunks, frames, cloudMessages, rows, databases, names, cloudFiles, texts,
        predicates, propertyValues, bucketReplies, collectionLists, programs, records, baselines, ignoreFiles,
        sharedSchemas,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A decoder broke a rule that holds for any bytes.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws unless `rule` holds.
    static func unless(_ rule: Bool, _ what: @autoclosure () -> String) throws(Violation) {
        guard rule else { throw Violation(what()) }
    }
}

/// Returns the value, or nil if the bytes were refused, which is right for most bytes. A crash never is.
func accepted<Value>(_ decode: () throws -> Value) -> Value? { try? decode() }
