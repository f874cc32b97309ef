import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("Frames and requests from untrusted peers")
struct HostileFrameTests {
    @Test("a stream cut at each byte gives the frames before the cut and no other")
    func cut() throws {
        let frames = try Samples.requests.enumerated().map { index, request in
            try ControlFrame.frame(ClientEnvelope(id: UInt64(index), request: request))
        }
        let stream = Array(frames.joined())
        let ends = frames.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        for length in 0...stream.count {
            var splitter = FrameSplitter()
            splitter.append(stream.prefix(length))
            var count = 0
            while let payload = try splitter.next() {
                #expect(Array(payload) == Array(frames[count].dropFirst(ControlFrame.headerLength)))
                count += 1
            }
            #expect(count == ends.dropFirst().count { $0 <= length })
        }
    }

    @Test("every length above the limit is refused from its four bytes alone")
    func lengths() throws {
        for length in [ControlFrame.maximumLength + 1, 1 << 24, Int(Int32.max), 1 << 31, Int(UInt32.max)] {
            var splitter = FrameSplitter()
            splitter.append(withUnsafeBytes(of: UInt32(length).bigEndian, Array.init))
            #expect(throws: DaemonFailure.self) { try splitter.next() }
        }
        var splitter = FrameSplitter()
        splitter.append([0, 0x10, 0, 0])
        #expect(try splitter.next() == nil)
    }

    @Test("random bytes in random pieces give frames or an error, and never crash")
    func noise() {
        let seed = UInt64.random(in: 0 ... .max)
        // After a crash only the output printed before it remains.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var splitter = FrameSplitter()
            // Uniformly random lengths would rarely be small enough to be accepted.
            var stream = (0..<Int.random(in: 0..<400, using: &generator)).map { index -> UInt8 in
                index % 7 < 3 ? 0 : .random(in: 0...255, using: &generator)
            }[...]
            while !stream.isEmpty {
                let piece = stream.prefix(Int.random(in: 1...50, using: &generator))
                stream = stream.dropFirst(piece.count)
                splitter.append(piece)
                guard (try? read(&splitter)) != nil else { break }
            }
        }
    }

    private func read(_ splitter: inout FrameSplitter) throws {
        while let payload = try splitter.next() {
            // Almost none of the payloads is a message.
            _ = try? ControlFrame.decode(ClientEnvelope.self, from: payload, calls: Samples.calls)
            _ = ControlFrame.requestID(of: payload)
        }
    }

    @Test("requests with changed, cut, doubled or nested bytes are decoded or refused, and never crash")
    func requests() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            for request in Samples.requests {
                let whole = try ControlFrame.payload(ClientEnvelope(id: .max, request: request))
                let payload = mutated(whole, &generator)
                guard let envelope = try? ControlFrame.decode(ClientEnvelope.self, from: payload, calls: Samples.calls)
                else { continue }
                #expect(throws: Never.self, "seed \(seed)") { try ControlFrame.payload(envelope) }
            }
        }
    }

    @Test("events with changed, cut, doubled or nested bytes are decoded or refused by a client, and never crash")
    func events() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            for event in Samples.events {
                let whole = try ControlFrame.payload(DaemonEnvelope(id: 0, .event(event)))
                let payload = mutated(whole, &generator)
                guard let envelope = try? ControlFrame.decode(DaemonEnvelope.self, from: payload, calls: Samples.calls)
                else { continue }
                #expect(throws: Never.self, "seed \(seed)") { try ControlFrame.payload(envelope) }
            }
        }
    }

    private func mutated(_ data: Data, _ generator: inout SeededGenerator) -> Data {
        var bytes = Array(data)
        let words = [
            "{", "}", "[", "]", "null", "-1", "1e999", "\"\\ud800\"", "18446744073709551616", "\"../..\"", ",",
        ]
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[place] = .random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(place...)
            case 2: bytes.insert(contentsOf: bytes[place...], at: place)
            case 3: bytes.insert(contentsOf: Array((words.randomElement(using: &generator) ?? "{").utf8), at: place)
            default: bytes.remove(at: place)
            }
        }
        return Data(bytes.prefix(1 << 16))
    }

    @Test("deeply nested JSON is refused before the stack overflows")
    func nesting() {
        for depth in [100, 10_000, 100_000] {
            let payload = Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
            #expect(throws: (any Error).self) {
                try ControlFrame.decode(ClientEnvelope.self, from: payload, calls: Samples.calls)
            }
            let inside = Data("{\"id\":1,\"request\":\(String(repeating: "{\"a\":", count: depth))".utf8)
            #expect(throws: (any Error).self) {
                try ControlFrame.decode(ClientEnvelope.self, from: inside, calls: Samples.calls)
            }
        }
    }
}
