import Basics
package import DaemonProtocol
import Glibc

/// Finds the mount containing a path. Avoids queries to the file system where possible, because a frozen mount would
/// not respond.
package struct MountLocator {
    let records: [MountRecord]
    let table: UbiquityMounts
    /// The absolute path of the current directory.
    let currentDirectory: [UInt8]
    /// Resolves the symlinks of an absolute path; returns nil if it does not exist.
    let resolve: ([UInt8]) -> [UInt8]?
    /// Returns the health of a mount without a registered daemon.
    let probe: (String) -> MountHealth

    package init(
        records: [MountRecord], table: UbiquityMounts, currentDirectory: [UInt8],
        resolve: @escaping ([UInt8]) -> [UInt8]?, probe: @escaping (String) -> MountHealth
    ) {
        self.records = records
        self.table = table
        self.currentDirectory = currentDirectory
        self.resolve = resolve
        self.probe = probe
    }

    /// The mount for a command-line path, and the path within it.
    package struct Place: Hashable {
        package let record: MountRecord
        package let path: MountPath
    }

    static func current() throws(CommandFailure) -> MountLocator {
        do {
            return MountLocator(
                records: MountRegistry.standard.records(), table: try .current(),
                currentDirectory: workingDirectory(), resolve: realPath, probe: MountHealth.probe)
        } catch {
            throw CommandFailure(.failed, "the list of mounts cannot be read (\(error))", path: "/proc/self/mountinfo")
        }
    }

    package func place(of argument: String) throws(CommandFailure) -> Place {
        try place(at: rawArgument(argument))
    }

    /// Like ``place(of:)``, for a path that need not be UTF-8.
    func place(at argument: [UInt8]) throws(CommandFailure) -> Place {
        let absolute = absolutePath(argument)
        for candidate in spellings(of: absolute) {
            guard let mount = longestMount(over: candidate) else { continue }
            guard let (record, folder) = registered(mount) else {
                throw unregistered(String(decoding: mount, as: UTF8.self))
            }
            // This never fails: an argument has no NUL, and `..` was removed.
            guard let path = try? MountPath(bytes: folder + candidate.dropFirst(mount.count)) else { break }
            return Place(record: record, path: path)
        }
        throw CommandFailure(
            .notMounted, "not inside a Ubiquity mount", path: String(decoding: argument, as: UTF8.self),
            advice: "\"ubiquity status\" lists the mounts, \"ubiquity mount\" makes one.")
    }

    /// Returns the registered mount at this mount point, and its folder visible there.
    private func registered(_ mount: [UInt8]) -> (record: MountRecord, folder: [UInt8])? {
        if let record = records.first(where: { Array($0.mount.utf8) == mount }) { return (record, []) }
        guard let (whole, folder) = table.original(ofView: mount, among: records.map { Array($0.mount.utf8) }),
            let record = records.first(where: { Array($0.mount.utf8) == whole })
        else { return nil }
        return (record, folder)
    }

    /// Returns the mount point containing `argument` if it is only another view (`mount --bind`) of a registered mount
    /// or of a folder in it.
    func view(over argument: String) -> (mountPoint: String, record: MountRecord)? {
        for candidate in spellings(of: absolutePath(rawArgument(argument))) {
            guard let mount = longestMount(over: candidate) else { continue }
            guard !records.contains(where: { Array($0.mount.utf8) == mount }), let (record, _) = registered(mount)
            else {
                return nil
            }
            return (String(decoding: mount, as: UTF8.self), record)
        }
        return nil
    }

    /// Mount points without a registered daemon.
    var orphans: [String] {
        table.mountPoints.filter { registered($0) == nil }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns whether the path is in a mount, even if the mount is dead or does not respond.
    package func isInMount(_ argument: String) -> Bool { isInMount(at: rawArgument(argument)) }

    func isInMount(at argument: [UInt8]) -> Bool {
        spellings(of: absolutePath(argument)).contains { longestMount(over: $0) != nil }
    }

    func unregistered(_ mount: String) -> CommandFailure { probe(mount).failure(mount: mount) }

    /// Returns the path as typed, then with the symlinks above its last component resolved, then with all symlinks resolved.
    private func spellings(of path: [UInt8]) -> some Sequence<[UInt8]> {
        let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        let steps: [() -> [UInt8]?] = [
            { path },
            { resolve(slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])).map { $0 + path[slash...] } },
            { resolve(path) },
        ]
        return steps.lazy.compactMap { $0() }
    }

    private func longestMount(over path: [UInt8]) -> [UInt8]? {
        let mounts = records.map { Array($0.mount.utf8) } + table.mountPoints
        return mounts.filter { isInside(path, $0) }.max { $0.count < $1.count }
    }

    private func isInside(_ path: [UInt8], _ mount: [UInt8]) -> Bool {
        path.starts(with: mount) && (path.count == mount.count || path[mount.count] == UInt8(ascii: "/"))
    }

    /// Returns an absolute path after lexically removing `.` and `..`.
    func absolutePath(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let whole = path.first == slash ? path : currentDirectory + [slash] + path
        var components: [ArraySlice<UInt8>] = []
        for component in whole.split(separator: slash) where component != [0x2E] {
            if component == [0x2E, 0x2E] { _ = components.popLast() } else { components.append(component) }
        }
        return [slash] + components.joined(separator: [slash])
    }
}

/// Returns the bytes of an argument as the kernel passed them. A name that is not UTF-8 was altered by its conversion to a `String`.
func rawArgument(_ argument: String) -> [UInt8] {
    guard argument.unicodeScalars.contains("\u{FFFD}") else { return Array(argument.utf8) }
    let raw = CommandLine.unsafeArgv
    for index in 0..<Int(CommandLine.argc) {
        if let pointer = raw[index], String(cString: pointer) == argument { return bytes(pointer) }
    }
    return Array(argument.utf8)
}

/// Returns getcwd(3), or the root if the directory no longer exists.
func workingDirectory() -> [UInt8] {
    guard let path = getcwd(nil, 0) else { return [UInt8(ascii: "/")] }
    defer { free(path) }
    return bytes(path)
}

/// Returns realpath(3), or nil if the path does not exist.
func realPath(_ path: [UInt8]) -> [UInt8]? {
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    guard let resolved = realpath(terminated, nil) else { return nil }
    defer { free(resolved) }
    return bytes(resolved)
}

private func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
}
