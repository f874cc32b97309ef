import Basics
import CloudModel
import DaemonProtocol
import FoundationEssentials

extension FuzzTarget {
    /// Texts from users and files: a cloud's address, sizes, ids, the record of a mount.
    static let texts = FuzzTarget(name: "text") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = ByteCount(text)?.description
        _ = accepted { try JSONDecoder().decode(MountRecord.self, from: Data(bytes)) }
        if let id = ItemID(text) { try Violation.unless(ItemID(id.description) == id, "\(id) is another id") }
        if let version = VersionID(text) {
            try Violation.unless(VersionID(version.description) == version, "\(version) is another version")
        }
        return try expectAddress(text)
    } seeds: {
        [
            "file:///srv/cloud%20a", "file://localhost/a", "/a/b", "./c", "https://host/x", "s3://bucket/prefix",
            "1.5GiB",
            "0000000000000000000000000000000a", "12.3",
            #"{"format":1,"mount":"/home/u/M","pid":7,"socket":"/s","state":"/home/u/.s"}"#,
        ].map { Array($0.utf8) }
    }

    /// Expects that an address survives its description, its stored form.
    private static func expectAddress(_ text: String) throws -> Bool {
        guard let address = accepted({ try CloudAddress(text, currentDirectory: "/here") }) else { return false }
        if case .directory(let path) = address {
            try Violation.unless(path.utf8.first == UInt8(ascii: "/"), "\(path) is not absolute")
        }
        let again = accepted { try CloudAddress(address.description, currentDirectory: "/elsewhere") }
        try Violation.unless(again == address, "\(text.debugDescription) is stored as another address")
        return true
    }
}
