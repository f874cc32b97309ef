/// Failures of lower layers, with messages in complete sentences: first the event, then the advice.
extension DaemonFailure {
    /// Uses the first sentence as the message and the rest as the advice.
    package init(_ code: Code, sentences: String, path: String? = nil, errno: Int32? = nil) {
        let (first, rest) = Self.split(sentences)
        // A path already in the sentences is not repeated.
        let subject = path.flatMap { sentences.contains($0) && $0.hasPrefix("/") ? nil : $0 }
        self.init(code, Self.clause(first), path: subject, advice: rest.isEmpty ? nil : rest, errno: errno)
    }

    /// Returns a sentence as a subordinate clause: without its period, and with a small first letter unless a second
    /// capital follows, as in an acronym.
    package static func clause(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        guard let first = text.first, first.isUppercase, let second = text.dropFirst().first, !second.isUppercase else {
            return text
        }
        return first.lowercased() + text.dropFirst()
    }

    /// Splits off the first sentence, up to a period before a space and a capital; a period in a name is not followed
    /// by these.
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
