import Glibc

/// Reads a folder as a stream. The order of names differs between file systems, so only POSIX guarantees are compared.
struct FolderScan {
    let root: String
    let path: Path

    /// Reads some names, then removes and adds one, then reads the rest. Unchanged names must be read exactly once.
    func list(pause: Int, removing: Path?, adding: Path?) -> Outcome {
        open { stream in
            var seen: [[UInt8]] = []
            while seen.count < pause, let name = Self.next(stream) { seen.append(name) }
            let removed = removing.map { unlink($0) }
            let added = adding.map { create($0) }
            while let name = Self.next(stream) { seen.append(name) }
            let changed = Set([removing, adding].compactMap { $0?.bytes })
            let steady = seen.filter { !changed.contains($0) }
            guard Set(steady).count == steady.count else { return .failure(EILSEQ) }
            rewinddir(stream)
            let again = Self.rest(stream)
            return Outcome(
                value: Int(removed ?? 0) * 1000 + Int(added ?? 0),
                names: Set(steady).union(again.filter(changed.contains)))
        }
    }

    /// Records the position before each name, then seeks to each position: the same name must follow.
    func revisit() -> Outcome {
        open { stream in
            var places: [(Int, [UInt8])] = []
            while true {
                let place = telldir(stream)
                guard let name = Self.next(stream) else { break }
                places.append((place, name))
            }
            for (place, name) in places.reversed() {
                seekdir(stream, place)
                guard Self.next(stream) == name else { return .failure(EILSEQ) }
            }
            rewinddir(stream)
            return Outcome(names: Set(Self.rest(stream)))
        }
    }

    private func open(_ body: (OpaquePointer) -> Outcome) -> Outcome {
        path.withPointer(below: root) { path in
            guard let stream = opendir(path) else { return .failure(errno) }
            defer { closedir(stream) }
            return body(stream)
        }
    }

    private func unlink(_ name: Path) -> Int32 {
        path.appending(name.bytes).withPointer(below: root) { Glibc.unlink($0) == 0 ? 0 : errno }
    }

    private func create(_ name: Path) -> Int32 {
        path.appending(name.bytes).withPointer(below: root) { path in
            let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard file >= 0 else { return errno }
            close(file)
            return 0
        }
    }

    private static func rest(_ stream: OpaquePointer) -> [[UInt8]] {
        var names: [[UInt8]] = []
        while let name = next(stream) { names.append(name) }
        return names
    }

    /// Returns the next name except `.` and `..`.
    static func next(_ stream: OpaquePointer) -> [UInt8]? {
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { return name }
        }
        return nil
    }
}
