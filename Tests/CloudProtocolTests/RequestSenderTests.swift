import CloudModel
import CloudProtocol
import TestSupport
import Testing

@Suite("The sender of a request")
struct RequestSenderTests {
    @Test(
        "a sender is parsed as it was written", arguments: ["laptop", "", "Anna's \u{1F4BB} %41", "a b\r\nc", "\u{0}"])
    func written(_ name: String) {
        let sender = RequestSender(id: DeviceID(0x0123_4567_89AB_CDEF), name: name)
        #expect(sender.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(RequestSender(sender.text) == sender)
    }

    @Test("a long name is cut, and similar text is no sender")
    func similar() {
        let long = RequestSender(id: DeviceID(1), name: String(repeating: "x", count: 1_000))
        #expect(RequestSender(long.text)?.name.utf8.count == 255)
        let id = "0123456789abcdef"
        for text in ["", id, "\(id)x", "\(id.dropLast()) x", " \(id) x", "\(id) %4", "g\(id.dropFirst()) x"] {
            #expect(RequestSender(text) == nil, "\(text)")
        }
        #expect(RequestSender("\(id) " + String(repeating: "x", count: 256)) == nil)
    }

    @Test("any text is a sender or none")
    func random() {
        var generator = SeededGenerator(seed: 11)
        let valid = RequestSender(id: DeviceID(77), name: "a laptop").text
        for _ in 0..<5_000 {
            var bytes = Array(valid.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if let sender = RequestSender(String(decoding: bytes, as: UTF8.self)) {
                #expect(RequestSender(sender.text)?.id == sender.id)
            }
        }
    }
}
