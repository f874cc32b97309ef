/// Failures of lower layers have whole sentences as messages: first what happened, then what to do.
extension DaemonFailure {
    /// Makes the first sentence the message and the others the advice.
    package init(_ code: Code, sentences: String, path: String? = nil, errno: Int32? = nil) {
        let (first, rest) = Self.split(sentences)
        // A path that the sentences contain already is not repeated.
        let subject = path.flatMap { sentences.contains($0) && $0.hasPrefix("/") ? nil : $0 }
        self.init(code, Self.clause(first), path: subject, advice: rest.isEmpty ? nil : rest, errno: errno)
    }

    /// A sentence as a clause of another one: without its period, and without its capital unless a second one follows, as in an acronym.
    package static func clause(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        guard let first = text.first, first.isUppercase, let second = text.dropFirst().first, !second.isUppercase else {
            return text
        }
        return first.lowercased() + text.dropFirst()
    }

    /// Sentences end with a period before a space and a capital: periods in names are followed by something else.
    private static func split(_ text: String) -> (first: String, rest: String) {
        var start = text.startIndex
        while let period = text[start...].firstRange(of: ". ") {
            let next = text[period.upperBound...]
            if next.first?.isUppercase == true { return (String(text[..<period.lowerBound]), String(next)) }
            start = period.upperBound
        }
        return (text, "")
    }
}
