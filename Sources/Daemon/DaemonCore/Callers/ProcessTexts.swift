package import VirtualFileSystem

/// Parsers of the remaining texts of `/proc/PID`. The processes choose most of the bytes, so every input has a result.
package enum ProcessTexts {
    /// Returns the paths of `/proc/PID/cgroup` (cgroups(7)): lines of hierarchy, controllers and path, separated by colons.
    package static func controlGroups(_ text: [UInt8]) -> [String] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].first == UInt8(ascii: "/") else { return nil }
            return String(decoding: parts[2], as: UTF8.self)
        }
    }

    /// Returns the first arguments of `/proc/PID/cmdline`, separated by NUL.
    package static func arguments(_ text: [UInt8]) -> [String] {
        text.split(separator: 0, maxSplits: maximumArguments, omittingEmptySubsequences: false).prefix(maximumArguments)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static let maximumArguments = 8

    /// Returns the allowance declared in `/proc/PID/environ`; nil if there is none, or if its value is invalid.
    package static func declared(_ text: [UInt8]) -> DownloadAllowance? {
        let prefix = Array("\(ProcessFacts.variable)=".utf8)
        // If a variable is set twice, getenv(3) returns the first.
        guard let entry = text.split(separator: 0).first(where: { $0.starts(with: prefix) }) else { return nil }
        return DownloadAllowance(rawValue: String(decoding: entry.dropFirst(prefix.count), as: UTF8.self))
    }

    /// Returns whether `/proc/PID/maps` has GLib's library for files.
    package static func hasGLib(_ text: [UInt8]) -> Bool {
        // Not `firstRange(of:)`, as it takes 2 ms for the 14 KB of a small program: a program opening a placeholder
        // waits for this.
        let name = Array("/libgio-2.0.so".utf8)
        return text.indices.contains { text[$0] == name[0] && text[$0...].starts(with: name) }
    }

    /// Returns an executable's path without the mark for a replaced file, as after the update of a running program.
    package static func executable(_ target: String) -> String {
        let mark = " (deleted)"
        return target.hasSuffix(mark) ? String(target.dropLast(mark.count)) : target
    }
}
