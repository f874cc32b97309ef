import DaemonProtocol
import TestSupport

extension MountPath {
    static func random(using generator: inout SeededGenerator) -> MountPath {
        let parts = [
            "CloudDocs", "Documents", "a.txt", "Übung", "a \"b\"", "c\\d", "..x", "...", "\u{7F}", "\n", "/", "文",
        ]
        let odd: [UInt8] = Bool.random(using: &generator) ? [] : [0xE9]
        let text = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            parts.randomElement(using: &generator) ?? "x"
        }
        return (try? MountPath(bytes: Array(text.joined(separator: "/").utf8) + odd)) ?? .root
    }
}

/// Random messages of the kinds with a binary form.
extension ClientEnvelope {
    static func random(using generator: inout SeededGenerator) -> ClientEnvelope {
        let id = UInt64.likely(using: &generator)
        guard Int.random(in: 0..<3, using: &generator) > 0 else {
            let isQuiet = [nil, true, false].randomElement(using: &generator) ?? nil
            return ClientEnvelope(id: id, FinishRequest(claim: .likely(using: &generator), isQuiet: isQuiet))
        }
        func perhaps<T>(_ value: T) -> T? { Bool.random(using: &generator) ? value : nil }
        let accesses = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            WantedAccess(
                path: .random(using: &generator), mode: Bool.random(using: &generator) ? .read : .write,
                options: AccessOption.allCases.shuffled(using: &generator).filter { _ in
                    Int.random(in: 0..<4, using: &generator) == 0
                })
        }
        let purpose = ["", "coordinator-1", "a \"quote\"", "ü", "tab\t"].randomElement(using: &generator) ?? ""
        let timeout = Double.random(in: -1...1e9, using: &generator)
        return ClientEnvelope(
            id: id,
            AccessRequest(
                accesses: accesses, purpose: perhaps(purpose), timeout: perhaps(timeout), within: perhaps(.max),
                withinPresenter: perhaps(0), presenter: perhaps(300)))
    }
}

extension DaemonEnvelope {
    static func random(using generator: inout SeededGenerator) -> DaemonEnvelope {
        let id = UInt64.likely(using: &generator)
        guard Int.random(in: 0..<4, using: &generator) > 0 else {
            return DaemonEnvelope(id: id, .response(DoneResponse()))
        }
        let paths = (0..<Int.random(in: 0...3, using: &generator)).map { _ in MountPath.random(using: &generator) }
        let isWhole = [nil, true, false].randomElement(using: &generator) ?? nil
        return DaemonEnvelope(
            id: id, .response(GrantedResponse(paths: paths, claim: .likely(using: &generator), isWhole: isWhole)))
    }
}

extension UInt64 {
    /// A number at or near a bound of the coding, or any number.
    static func likely(using generator: inout SeededGenerator) -> UInt64 {
        [0, 1, 127, 128, 12_345, .max, .random(in: 0 ... .max, using: &generator)].randomElement(using: &generator) ?? 0
    }
}

extension [UInt8] {
    /// Returns a copy with one to three bytes changed, inserted or removed.
    func damaged(using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = self
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            // Small numbers are counts, kinds and flags.
            let byte =
                Bool.random(using: &generator)
                ? .random(in: 0...9, using: &generator) : UInt8.random(in: 0...255, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
        }
        return bytes
    }
}
