package import CloudModel

/// The rules for local-only names: the temporary, lock and backup files of editors and desktops. Such files work
/// normally but are never uploaded; their status is "excluded".
package struct ExclusionRules: Sendable {
    private let suffixes: [[UInt8]]
    private let prefixes: [[UInt8]]
    private let names: Set<[UInt8]>

    /// The rules for the names used by common programs (editors, office suites, browsers, file managers). `4913`, with
    /// which vim tests a folder, is not among them: vim removes it before it has settled, and the 4,913th of many
    /// numbered documents is a document.
    package static let standard = ExclusionRules(
        suffixes: [
            "~", ".tmp", ".temp", ".part", ".partial", ".crdownload", ".kate-swp", ".swp", ".swx", ".nosync", ".ubd",
            ".autosave",
        ],
        prefixes: [
            ".~lock.", "~$", ".fuse_hidden", ".nfs", ".Trash-", "._", ".goutputstream-", ".#",
            "(A Document Being Saved",
            // Foundation appends its process and six letters.
            ".syncthing.", ".dat.nosync",
        ],
        names: [
            ".DS_Store", "Thumbs.db", "desktop.ini", ".directory", "$RECYCLE.BIN", ".Trash", ".nosync",
        ])

    package init(suffixes: [String], prefixes: [String], names: [String]) {
        self.suffixes = suffixes.map { Array($0.utf8) }
        self.prefixes = prefixes.map { Array($0.utf8) }
        self.names = Set(names.map { Array($0.utf8) })
    }

    package func excludes(_ name: ItemName) -> Bool {
        let bytes = name.bytes
        if names.contains(bytes) { return true }
        if suffixes.contains(where: { bytes.count > $0.count && bytes.suffix($0.count).elementsEqual($0) }) {
            return true
        }
        if prefixes.contains(where: { bytes.starts(with: $0) }) { return true }
        return isBackupOrSwap(bytes)
    }

    /// Matches `.name.swo` and similar names of vim, and `#name#` of emacs.
    private func isBackupOrSwap(_ bytes: [UInt8]) -> Bool {
        if bytes.count > 2, bytes.first == UInt8(ascii: "#"), bytes.last == UInt8(ascii: "#") { return true }
        guard bytes.first == UInt8(ascii: "."), bytes.count > 5 else { return false }
        let ending = bytes.suffix(4)
        return ending.starts(with: Array(".sw".utf8))
            && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[bytes.count - 1])
    }
}
