import CLinux
import Glibc

/// A path without symbolic links above its last component, so that different spellings of the same folder are equal. An
/// entirely nonexistent path stays as it is.
struct CanonicalPath {
    let text: String
    /// Whether the item exists, possibly as a dangling link.
    let exists: Bool

    init(_ path: String) {
        if path.utf8.first == UInt8(ascii: "/"), Self.isPlain(path.utf8), Self.isWithoutLinks(path) {
            (text, exists) = (path, true)
        } else {
            text = Self.resolved(path)
            exists = WantedItem.exists(text)
        }
    }

    /// Returns whether the path has no `.` or `..` components and no redundant slashes.
    private static func isPlain(_ path: some Sequence<UInt8>) -> Bool {
        // The number of dots since the last slash; nil after a different character.
        var dots: Int?
        for byte in path {
            switch (byte, dots) {
            case (UInt8(ascii: "/"), 0), (UInt8(ascii: "/"), 1), (UInt8(ascii: "/"), 2): return false
            case (UInt8(ascii: "/"), _): dots = 0
            case (UInt8(ascii: "."), let count?): dots = count + 1
            case (_, nil): continue
            default: dots = nil
            }
        }
        return dots == nil || (dots ?? 0) > 2
    }

    /// Returns whether an item exists at the path without passing symbolic links; false if the kernel does not support
    /// the lookup. Uses two system calls, while realpath(3) needs a call per folder.
    private static func isWithoutLinks(_ path: String) -> Bool {
        let item = linux_open_without_links(path, O_NOFOLLOW | O_CLOEXEC)
        guard item >= 0 else { return false }
        close(item)
        return true
    }

    private static func resolved(_ path: String) -> String {
        var folder = path.split(separator: "/")
        var rest: [Substring] = []
        // Only the system can interpret dot components, since it knows which names are links.
        while let last = folder.popLast() {
            rest.insert(last, at: 0)
            guard last != ".", last != "..", let real = real("/" + folder.joined(separator: "/")) else { continue }
            return (real == "/" ? "" : real) + "/" + rest.joined(separator: "/")
        }
        return path
    }

    /// Returns the real path; nil if the item does not exist.
    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
