import Basics
import CloudModel
import CloudStorage

@testable import DirectoryCloud

extension FuzzTarget {
    /// Files and names in a cloud's directory. The whole input is a file; its text is also tried as a name.
    static let cloudFiles = FuzzTarget(name: "cloud-file") { bytes in
        let text = String(decoding: bytes.prefix(64), as: UTF8.self)
        if let number = CloudLayout.number(text) {
            try Violation.unless(UInt64(text) == number, "\(text) is another number")
        }
        if let name = TemporaryName(text) {
            try Violation.unless(TemporaryName(name.text) == name, "\(name.text) is another name")
        }
        for event in Inotify.parse(bytes) { _ = WatchRole.root.meaning(of: event.mask, name: event.name) }
        let frames = try [StoredFrame.Kind.entry, .chunk].map { try expectFrame($0, bytes) }
        return try expectIdentity(bytes) || frames.contains(true)
    } seeds: {
        let payload = Array("an entry".utf8)
        let frames = try [StoredFrame.entry(payload, digest: .zero), .chunk(payload)].map { $0.header + payload }
        let identity = IdentityFile(identity: CloudIdentity("4f0c5d7be8a3419690e2a0b1c7d3f586"))
        let name = TemporaryName(process: 7, chance: 0xABCD).text
        return frames + [identity.text, name, "000000012"].map { Array($0.utf8) }
    }

    private static func expectFrame(_ kind: StoredFrame.Kind, _ bytes: [UInt8]) throws -> Bool {
        let header = Array(bytes.prefix(StoredFrame.headerSize(of: kind)))
        let payload = Array(bytes.dropFirst(StoredFrame.headerSize(of: kind)))
        guard let frame = accepted({ try StoredFrame(kind, header: header, fileSize: Int64(bytes.count)) }),
            accepted({ try frame.verify(payload) }) != nil
        else { return false }
        try Violation.unless(frame.length == UInt64(payload.count), "a frame is longer than its file")
        return true
    }

    private static func expectIdentity(_ bytes: [UInt8]) throws -> Bool {
        guard let file = accepted({ try IdentityFile(bytes) }) else { return false }
        try Violation.unless(
            accepted { try IdentityFile(Array(file.text.utf8)) } == file, "an identity that is written again differs")
        return true
    }
}
