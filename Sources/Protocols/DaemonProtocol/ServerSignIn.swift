package import Basics
import FoundationEssentials
import Glibc

/// The record of a device's sign-in at a server, in a file readable only by its owner.
package struct ServerSignIn: Codable, Hashable, Sendable {
    package let format: UInt32
    package let server: String
    package let account: String
    /// The device's number in the server's list.
    package let device: Int64
    package let token: String
    /// The device's name in the server's list; nil in a file of an earlier version.
    package let deviceName: String?
    /// Certificates in PEM form trusted for this server in addition to the system's; nil for the system's alone.
    package let authority: String?
    /// Whether the user agreed to a connection without encryption; nil counts as false.
    package let allowsPlaintext: Bool?

    package static let currentFormat: UInt32 = 1

    package init(
        server: String, account: String, device: Int64, token: String, deviceName: String? = nil,
        authority: String? = nil,
        allowsPlaintext: Bool = false
    ) {
        format = Self.currentFormat
        self.server = server
        self.account = account
        self.device = device
        self.token = token
        self.deviceName = deviceName
        self.authority = authority
        self.allowsPlaintext = allowsPlaintext ? true : nil
    }

    /// Loads the sign-in at `server`. A file with a different server's token is ignored.
    ///
    /// - Returns: Nil if there is no sign-in readable by this version; the device then has to sign in.
    package static func load(from file: String, server: String) -> ServerSignIn? {
        guard let data = try? Data(contentsOf: URL(filePath: file)),
            let found = try? JSONDecoder().decode(Self.self, from: data), found.format == currentFormat,
            found.server == server
        else { return nil }
        return found
    }

    /// Replaces the file atomically and durably.
    package func save(to file: String) throws(Errno) {
        guard let slash = file.lastIndex(of: "/") else { throw Errno(EINVAL, "save") }
        guard let text = try? ControlFrame.payload(self) else { throw Errno(EINVAL, "encode") }
        try createDirectories(String(file[..<slash]))
        try DurableFile(file).replace(with: Array(text))
    }
}

/// The output of `ubiquityd sign-in`, `sign-out` and `cloud-policy` for the command line: a JSON object.
package struct SignInOutcome: Codable, Hashable, Sendable {
    /// The account; nil after signing out or a failure.
    package let account: String?
    package let failure: DaemonFailure?
    /// Whether the account requires a second factor and none was passed; the sign-in code stays valid. Absent means false.
    package let asksSecondFactor: Bool?
    /// The policy of a bucket as JSON, if it was requested.
    package let policy: String?

    package init(
        account: String?, failure: DaemonFailure? = nil, asksSecondFactor: Bool? = nil, policy: String? = nil
    ) {
        self.policy = policy
        self.account = account
        self.failure = failure
        self.asksSecondFactor = asksSecondFactor
    }
}
