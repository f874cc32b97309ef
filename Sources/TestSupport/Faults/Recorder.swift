import Glibc

/// A writer's record; no other process appends to it.
package struct Recorder: ~Copyable {
    private let descriptor: Int32

    /// Opens the file. Throws the error number on failure.
    package init(path: String) throws(Failure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(call: "open \(path)", code: errno) }
    }

    deinit { close(descriptor) }

    package func begin(_ action: FaultOperation) throws(Failure) { try add("begin \(action)") }

    /// Records an acknowledgement. The line is on the disk when this returns, so the acknowledgement outlives the death of any process.
    package func done(_ action: FaultOperation) throws(Failure) {
        try add("done \(action)")
        guard fdatasync(descriptor) == 0 else { throw Failure(call: "fdatasync", code: errno) }
    }

    package func failed(_ action: FaultOperation, _ failure: Failure) throws(Failure) {
        try add("failed \(action) \(failure.code)")
    }

    package func uploaded(_ path: String, _ generation: Int) throws(Failure) {
        try add("uploaded \(path) \(generation)")
    }

    private func add(_ line: String) throws(Failure) {
        let bytes = Array("\(line)\n".utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure(call: "write", code: errno) }
    }
}

/// A failed system call.
package struct Failure: Error, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code))) (\(code))" }
}
