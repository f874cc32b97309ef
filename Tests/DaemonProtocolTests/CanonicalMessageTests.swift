import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

/// Messages that are sent thousands of times a second have a fast reader and writer, which must be equivalent to the general ones.
@Suite("Messages that are sent often")
struct CanonicalMessageTests {
    /// Encodes or decodes a message with the general code, which all other messages use.
    private func whole(_ message: some Encodable) throws -> [UInt8] { try ControlFrame.frame(message) }
    private func whole(_ type: ClientEnvelope.Type, _ payload: [UInt8]) throws -> ClientEnvelope {
        try JSONDecoder().decode(type, from: Data(payload), configuration: Samples.calls)
    }
    private func whole(_ type: DaemonEnvelope.Type, _ payload: [UInt8]) throws -> DaemonEnvelope {
        try JSONDecoder().decode(type, from: Data(payload), configuration: Samples.calls)
    }

    private func payload(_ frame: [UInt8]) -> [UInt8] { Array(frame.dropFirst(ControlFrame.headerLength)) }

    @Test(
        "requests are written as the encoder writes them, and read as the decoder reads them",
        arguments: UInt64(1)...100)
    func requests(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let envelope = ClientEnvelope(id: .random(using: &generator), request: .random(using: &generator))
        let frame = try ControlFrame.frame(envelope)
        #expect(frame == (try whole(envelope)), "seed \(seed)")
        #expect(
            try ControlFrame.decode(ClientEnvelope.self, from: Data(payload(frame)), calls: Samples.calls) == envelope,
            "seed \(seed)")
        #expect(try whole(ClientEnvelope.self, payload(frame)) == envelope, "seed \(seed)")
    }

    @Test(
        "responses are written as the encoder writes them, and read as the decoder reads them",
        arguments: UInt64(1)...100
    )
    func responses(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let envelope = DaemonEnvelope(id: .random(using: &generator), .response(.random(using: &generator)))
        let frame = try ControlFrame.frame(envelope)
        #expect(frame == (try whole(envelope)), "seed \(seed)")
        #expect(
            try ControlFrame.decode(DaemonEnvelope.self, from: Data(payload(frame)), calls: Samples.calls) == envelope,
            "seed \(seed)")
    }

    @Test("the common messages are read without the decoder")
    func common() throws {
        let path = try MountPath("CloudDocs/Documents/Übung.txt")
        let claim = AccessRequest(
            accesses: [WantedAccess(path: path, mode: .read, options: [.withoutChanges])], purpose: "p", within: 3,
            withinPresenter: 4, presenter: 5)
        for request in [DaemonRequest(claim), DaemonRequest(FinishRequest(claim: 7, isQuiet: true))] as [DaemonRequest]
        {
            let bytes = payload(try ControlFrame.frame(ClientEnvelope(id: 2, request: request)))
            #expect(bytes.withUnsafeBytes(ClientEnvelope.init(canonical:))?.request == request)
        }
        let granted = GrantedResponse(paths: [path], claim: 9, isWhole: true)
        for response in [DaemonResponse(granted), DaemonResponse(DoneResponse())] as [DaemonResponse] {
            let bytes = payload(try ControlFrame.frame(DaemonEnvelope(id: 2, .response(response))))
            #expect(bytes.withUnsafeBytes(DaemonEnvelope.init(canonical:))?.body == .response(response))
        }
    }

    @Test(
        "a message with a field that the fast reader cannot read is left to the decoder",
        arguments: [
            #""presenter":012"#, #""presenter":99999999999999999999"#, #""presenter":"#, #""purpose":"\""#,
            #""purpose":"#,
        ])
    func unreadable(field: String) {
        let text =
            #"{"id":1,"request":{"claim":{"accesses":[{"mode":"read","options":[],"path":"a"}],"# + field + "}}}"
        #expect(Array(text.utf8).withUnsafeBytes(ClientEnvelope.init(canonical:)) == nil)
        // The value is not UTF-8.
        let odd = Array(text.utf8).dropLast(3) + Array(#","purpose":""#.utf8) + [0xFF] + Array(#""}}}"#.utf8)
        #expect(Array(odd).withUnsafeBytes(ClientEnvelope.init(canonical:)) == nil)
    }

    @Test("a damaged message is rejected, or read as the decoder reads it", arguments: UInt64(1)...100)
    func damage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let request = ClientEnvelope(id: .random(using: &generator), request: .random(using: &generator))
        let response = DaemonEnvelope(id: .random(using: &generator), .response(.random(using: &generator)))
        for original in [payload(try whole(request)), payload(try whole(response))] {
            for _ in 0..<20 {
                let bytes = original.damaged(using: &generator)
                if let message = bytes.withUnsafeBytes(ClientEnvelope.init(canonical:)) {
                    #expect(try whole(ClientEnvelope.self, bytes) == message, "seed \(seed)")
                }
                if let message = bytes.withUnsafeBytes(DaemonEnvelope.init(canonical:)) {
                    #expect(try whole(DaemonEnvelope.self, bytes) == message, "seed \(seed)")
                }
            }
        }
    }
}

extension [UInt8] {
    fileprivate func damaged(using generator: inout SeededGenerator) -> [UInt8] {
        // Bytes that occur in such messages are inserted more often than others.
        let likely = Array(#"0129"\/.,:{}[] truefalsn"#.utf8) + [0x80, 0xC3, 0xA9, 0xFF, 0]
        var bytes = self
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let byte = likely.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
        }
        return bytes
    }
}

extension MountPath {
    fileprivate static func random(using generator: inout SeededGenerator) -> MountPath {
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

extension DaemonRequest {
    fileprivate static func random(using generator: inout SeededGenerator) -> DaemonRequest {
        guard Int.random(in: 0..<3, using: &generator) > 0 else {
            let isQuiet = [nil, true, false].randomElement(using: &generator) ?? nil
            return DaemonRequest(FinishRequest(claim: .random(using: &generator), isQuiet: isQuiet))
        }
        func perhaps<T>(_ value: T) -> T? { Bool.random(using: &generator) ? value : nil }
        let accesses = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            WantedAccess(
                path: .random(using: &generator), mode: Bool.random(using: &generator) ? .read : .write,
                options: AccessOption.allCases.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
        }
        let purpose = ["", "coordinator-1", "a \"quote\"", "ü", "tab\t"].randomElement(using: &generator) ?? ""
        return DaemonRequest(
            AccessRequest(
                accesses: accesses, purpose: perhaps(purpose), timeout: perhaps(1.5), within: perhaps(.max),
                withinPresenter: perhaps(0), presenter: perhaps(12)))
    }
}

extension DaemonResponse {
    fileprivate static func random(using generator: inout SeededGenerator) -> DaemonResponse {
        guard Int.random(in: 0..<4, using: &generator) > 0 else { return DaemonResponse(DoneResponse()) }
        let paths = (0..<Int.random(in: 0...3, using: &generator)).map { _ in MountPath.random(using: &generator) }
        return DaemonResponse(
            GrantedResponse(
                paths: paths, claim: .random(using: &generator),
                isWhole: [nil, true, false].randomElement(using: &generator) ?? nil))
    }
}

extension UInt64 {
    fileprivate static func random(using generator: inout SeededGenerator) -> UInt64 {
        [0, 1, 9, 10, 12_345, .max, .random(in: 0 ... .max, using: &generator)].randomElement(using: &generator) ?? 0
    }
}
