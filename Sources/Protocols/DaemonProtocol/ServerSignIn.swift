package import Basics
import FoundationEssentials
import Glibc

/// What a device keeps of its sign-in at a server, in a file that only its owner can read.
package struct ServerSignIn: Codable, Hashable, Sendable {
    package let format: UInt32
    package let server: String
    package let account: String
    /// The device's number in the server's list.
    package let device: Int64
    package let token: String
    /// Certificates in PEM form that are trusted for this server besides the system's; nil: the system's alone.
    package let authority: String?
    /// Whether its user agreed to a connection without encryption; nil: no.
    package let allowsPlaintext: Bool?

    package static let currentFormat: UInt32 = 1

    package init(
        server: String, account: String, device: Int64, token: String, authority: String? = nil,
        allowsPlaintext: Bool = false
    ) {
        format = Self.currentFormat
        self.server = server
        self.account = account
        self.device = device
        self.token = token
        self.authority = authority
        self.allowsPlaintext = allowsPlaintext ? true : nil
    }

    /// The sign-in at `server`; a token of another server that a file holds is not used.
    ///
    /// - Returns: nil where there is none, or none that this version can read: then the device has to sign in.
    package static func load(from file: String, server: String) -> ServerSignIn? {
        guard let data = try? Data(contentsOf: URL(filePath: file)),
            let found = try? JSONDecoder().decode(Self.self, from: data), found.format == currentFormat,
            found.server == server
        else { return nil }
        return found
    }

    /// Replaces the file as a whole; on return it is on the disk.
    package func save(to file: String) throws(Errno) {
        guard let slash = file.lastIndex(of: "/") else { throw Errno(EINVAL, "save") }
        try createDirectories(String(file[..<slash]))
        let temporary = "\(file).\(getpid())"
        guard let text = try? ControlFrame.payload(self) else { throw Errno(EINVAL, "encode") }
        // A new file, which no other process has open and whose mode is ours.
        unlink(temporary)
        let descriptor = try check("open") { open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        defer { close(descriptor) }
        let written = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == text.count else {
            unlink(temporary)
            throw Errno(ENOSPC, "write")
        }
        try check("fsync") { fsync(descriptor) }
        try check("rename") { rename(temporary, file) }
        try syncDirectory(String(file[..<slash]))
    }

    private func syncDirectory(_ path: String) throws(Errno) {
        let descriptor = try check("open") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(descriptor) }
        try check("fsync") { fsync(descriptor) }
    }
}

/// What `ubiquityd sign-in` and `sign-out` print for the command line: one JSON object.
package struct SignInOutcome: Codable, Hashable, Sendable {
    /// The account; nil after signing out or a failure.
    package let account: String?
    package let failure: DaemonFailure?
    /// The account asks for a second factor, and none was passed; the sign-in code stays valid. Absent means false.
    package let asksSecondFactor: Bool?

    package init(account: String?, failure: DaemonFailure? = nil, asksSecondFactor: Bool? = nil) {
        self.account = account
        self.failure = failure
        self.asksSecondFactor = asksSecondFactor
    }
}
