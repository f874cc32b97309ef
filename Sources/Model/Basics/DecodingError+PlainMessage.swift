extension DecodingError {
    /// What is wrong with the decoded text, for the person or the program that wrote it, such as `the field 'paths' is
    /// missing`. It has nothing of the decoder's own descriptions, which name Swift's types.
    package var plainMessage: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.field(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): "\(Self.field(context.codingPath)) is null"
        case .typeMismatch(_, let context): "\(Self.field(context.codingPath)) is of the wrong type"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "it is not valid JSON" : "\(Self.field(context.codingPath)) has an invalid value"
        @unknown default: "it is not as expected"
        }
    }

    /// The longest name of a field in a message, in characters: the names in a path may be the sender's own.
    private static let longest = 100

    private static func field(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the whole" }
        let names = path.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }
        return "the field '\(names.joined(separator: ".").prefix(longest))'"
    }
}
