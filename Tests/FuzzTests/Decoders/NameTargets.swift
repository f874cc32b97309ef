import Basics
import CloudModel
import ContainerLog
import DaemonProtocol

extension FuzzTarget {
    /// Names from the cloud: of items, devices and containers. None may lead out of its folder, even after a suffix was
    /// added to make it free.
    static let names = FuzzTarget(name: "name") { bytes in
        // Longer names are rejected because of their length.
        if bytes.count <= 160 { try expectContainerName(String(decoding: bytes, as: UTF8.self)) }
        try expectPath(bytes)
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let name = accepted({ try ItemName(bytes: first) }) else { return false }
        try expectName(name, device: String(decoding: parts.last ?? [], as: UTF8.self), seed: bytes.count)
        return true
    } seeds: {
        ["a.tar.gz\0laptop", "Übung.txt\0\u{202E}desk/..", ".bashrc", "com.example.notes", "a/../b", "ß.ẞ"].map {
            Array($0.utf8)
        }
            + [Array(repeating: 0xC3, count: 255), [0xFF, 0xFE, 0x2E, 0x2E]]
    }

    private static func expectName(_ name: ItemName, device: String, seed: Int) throws {
        for number in [2, 10, .max] { try expectFree(name.inserting(" \(number)")) }
        let version = ConflictVersion(
            version: VersionID(sequence: LogSequence(1), index: 0), content: .announced(size: 0),
            modified: Timestamp(nanoseconds: Int64(seed) &* 0x1234_5678_9ABC_DEF1), author: DeviceID(1),
            authorName: device, base: nil)
        let suffix = HeirName.deviceAndTime.suffix(from: version.authorName, at: version.modified)
        try expectFree(name.inserting(suffix))
        try expectFree(NumberedName.beforeExtension.inserting(suffix, into: name))
        // Folding examines each character separately and takes time.
        guard name.bytes.count <= 48 else { return }
        let key = NameKey(name, folding: true)
        let again = accepted { try ItemName(bytes: key.bytes) }
        // Folding may lengthen a name beyond the limit of names.
        if let again { try Violation.unless(NameKey(again, folding: true) == key, "folding \(name) twice differs") }
    }

    private static func expectFree(_ name: ItemName) throws {
        try Violation.unless(accepted { try ItemName(bytes: name.bytes) } == name, "\(name) is not a name")
    }

    private static func expectContainerName(_ text: String) throws {
        for name in [ContainerName(text), ContainerName(folderName: text)].compactMap(\.self) {
            try Violation.unless(ContainerName(folderName: name.folderName) == name, "\(name) shows as another")
            try Violation.unless(!name.text.hasPrefix(".") && !name.text.contains("/"), "\(name) leads elsewhere")
        }
    }

    private static func expectPath(_ bytes: [UInt8]) throws {
        guard let path = accepted({ try MountPath(bytes: bytes) }) else { return }
        try Violation.unless(
            accepted { try MountPath(bytes: path.bytes) } == path, "\(path) differs when it is decoded again")
        let leaves = path.components.contains { $0.elementsEqual([0x2E, 0x2E]) || $0.elementsEqual([0x2E]) }
        try Violation.unless(!leaves && path.bytes.first != UInt8(ascii: "/"), "\(path) leads out of the mount")
    }
}
