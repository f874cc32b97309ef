/// A decoder of bytes from outside, as a fuzzer drives it and as tests replay what one found.
struct FuzzTarget: Sendable {
    /// Names its folder in `Corpus` and stands for it on the command line.
    let name: String
    /// Decodes; answers whether the bytes meant something. Throws ``Violation`` alone.
    let decode: @Sendable ([UInt8]) throws -> Bool
    /// Real encodings, from which a fuzzer starts.
    let seeds: @Sendable () throws -> [[UInt8]]

    static let all = [
        entries, manifests, chunks, frames, cloudMessages, rows, databases, names, cloudFiles, texts,
        predicates, propertyValues,
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

/// The value, or nil where the bytes were refused. Refusing is a right answer to most bytes; a crash is to none.
func accepted<Value>(_ decode: () throws -> Value) -> Value? { try? decode() }
