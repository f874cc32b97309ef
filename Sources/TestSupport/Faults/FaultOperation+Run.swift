import Glibc

/// Performs an operation as a program does, checking the result of every call.
extension FaultOperation {
    /// Performs the operation in a folder and records it. Throws the failed system call.
    package func perform(in folder: String, recorder: borrowing Recorder) throws(Failure) {
        try recorder.begin(self)
        do {
            try act(in: folder, recorder)
        } catch {
            try recorder.failed(self, error)
            throw error
        }
    }

    private func act(in folder: String, _ recorder: borrowing Recorder) throws(Failure) {
        switch self {
        case .write(let path, let generation):
            let file = try Self.open("\(folder)/\(path)", O_TRUNC)
            try Self.fill(file, path, generation)
            try Self.check(close(file), "close")
        case .sync(let path, let generation): return try syncing("\(folder)/\(path)", path, generation, recorder)
        case .replace(let path, let generation): try replace(folder, path, generation)
        case .append(let path, let generation):
            let file = try Self.open("\(folder)/\(path)", O_APPEND)
            try Self.write(file, Document.record(FaultOperation.name(of: path), generation)[...])
            try Self.check(close(file), "close")
        case .move(let from, let to): try Self.check(rename("\(folder)/\(from)", "\(folder)/\(to)"), "rename")
        case .remove(let path): try Self.check(unlink("\(folder)/\(path)"), "unlink")
        }
        try recorder.done(self)
    }

    private func syncing(
        _ place: String, _ path: String, _ generation: Int, _ recorder: borrowing Recorder
    ) throws(Failure) {
        let file = try Self.open(place, O_TRUNC)
        try Self.fill(file, path, generation)
        if fsync(file) != 0 {
            let failure = Failure(call: "fsync", code: errno)
            close(file)
            throw failure
        }
        try recorder.done(self)
        // The sync was acknowledged, regardless of close(2)'s result.
        close(file)
    }

    private func replace(_ folder: String, _ path: String, _ generation: Int) throws(Failure) {
        // `.new` is a synced name, `.tmp` a device-only name.
        let temporary = "\(folder)/\(path)\(generation.isMultiple(of: 2) ? ".tmp" : ".new")"
        let file = try Self.open(temporary, O_TRUNC)
        try Self.fill(file, path, generation)
        try Self.check(close(file), "close")
        try Self.check(rename(temporary, "\(folder)/\(path)"), "rename")
    }

    private static func open(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o600)
        try check(file, "open")
        return file
    }

    /// Writes a document in pieces; closes the file if that fails.
    private static func fill(_ file: Int32, _ path: String, _ generation: Int) throws(Failure) {
        let bytes = Document.bytes(FaultOperation.name(of: path), generation)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 30_000)
            try write(file, bytes[start..<end])
            start = end
        }
    }

    /// Writes all of the bytes, or closes the file and throws.
    private static func write(_ file: Int32, _ bytes: ArraySlice<UInt8>) throws(Failure) {
        let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard count != bytes.count else { return }
        // After a short write the kernel returns the reason only at the next attempt.
        let failure = Failure(call: "write", code: count < 0 ? errno : ENOSPC)
        close(file)
        throw failure
    }

    private static func check(_ result: Int32, _ call: String) throws(Failure) {
        guard result >= 0 else { throw Failure(call: call, code: errno) }
    }
}
