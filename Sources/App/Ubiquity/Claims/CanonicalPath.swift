import CLinux
import Glibc

/// A path without symbolic links above its last component, so that two spellings of one folder are one; as it is where nothing of it exists.
struct CanonicalPath {
    let text: String
    /// Something is there, perhaps a link that leads nowhere.
    let exists: Bool

    init(_ path: String) {
        if path.utf8.first == UInt8(ascii: "/"), Self.isPlain(path.utf8), Self.isWithoutLinks(path) {
            (text, exists) = (path, true)
        } else {
            text = Self.resolved(path)
            exists = WantedItem.exists(text)
        }
    }

    /// No dots, and no slash too many.
    private static func isPlain(_ path: some Sequence<UInt8>) -> Bool {
        // Dots since the last slash; nil behind another character.
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

    /// Two system calls, where realpath(3) makes one for each folder. False where nothing is, or where the kernel does not know how to say it.
    private static func isWithoutLinks(_ path: String) -> Bool {
        let item = linux_open_without_links(path, O_NOFOLLOW | O_CLOEXEC)
        guard item >= 0 else { return false }
        close(item)
        return true
    }

    private static func resolved(_ path: String) -> String {
        var folder = path.split(separator: "/")
        var rest: [Substring] = []
        // Dots mean something only to the system, which knows what is a link.
        while let last = folder.popLast() {
            rest.insert(last, at: 0)
            guard last != ".", last != "..", let real = real("/" + folder.joined(separator: "/")) else { continue }
            return (real == "/" ? "" : real) + "/" + rest.joined(separator: "/")
        }
        return path
    }

    /// Nil for what is not there.
    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
