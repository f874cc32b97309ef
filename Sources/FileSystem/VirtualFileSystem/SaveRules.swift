import CloudModel
import LocalMetadata

/// Recognises by names how programs save a document.
enum SaveRules {
    /// Returns whether this is the name of a `document` put aside by a program during a save, before the new one is
    /// created in its place: `perl -i.orig` and many others append such an ending, some replace the document's.
    ///
    /// Numbers are not among the endings: log rotation appends those.
    static func isBackup(_ name: ItemName, of document: ItemName) -> Bool {
        let text = lowercased(name.bytes)
        let document = lowercased(document.bytes)
        let stem = document.lastIndex(of: UInt8(ascii: ".")).map { document[..<$0] } ?? document[...]
        return backupEndings.contains { text == document + $0 || text == stem + $0 }
    }

    /// Returns whether `name` extends a document's name of that length like the helper files programs create during a
    /// save: `NAME.x4Td`, `NAME@`, `NAME___tmp`.
    static func isHelper(_ name: [UInt8], ofNameOfLength length: Int) -> Bool {
        guard length > 0, name.count > length, separators.contains(name[length]) else { return false }
        // A document `notes` says nothing about `notes.txt`.
        let dot = UInt8(ascii: ".")
        return name[length] != dot || name[..<length].contains(dot)
    }

    static func isHelper(_ name: ItemName, of document: ItemName) -> Bool {
        spellings(name).contains {
            $0.starts(with: document.bytes) && isHelper($0, ofNameOfLength: document.bytes.count)
        }
    }

    /// Returns the spellings of a name to compare with document names: some programs prepend a dot or similar.
    static func spellings(_ name: ItemName) -> [[UInt8]] {
        let bytes = name.bytes
        guard let first = bytes.first, separators.contains(first), bytes.count > 1 else { return [bytes] }
        return [bytes, Array(bytes.dropFirst())]
    }

    private static let backupEndings = [".bak", ".orig", ".old", ".backup", ".save"].map { Array($0.utf8) }
    private static let separators = Set(".@~_#-$%=".utf8)

    private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}
