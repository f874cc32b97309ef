import CloudProtocol
import CloudStorage
package import DaemonProtocol
import FoundationEssentials
import HTTPCloud
import HTTPTransport
package import Logging

/// Access of this device to a server: a mount's backend, signing in and signing out.
package enum ServerAccess {
    static func backend(
        _ url: String, _ logger: Logger, _ sender: @escaping @Sendable () -> RequestSender?
    ) throws(DaemonFailure) -> any CloudBackend {
        let seat = try ServerSeat(url)
        let address = seat.address
        let file = TokenFile(.current, server: seat.description)
        let record = file.record
        try requireEncryption(of: address, isAllowed: record?.allowsPlaintext ?? false)
        let trust = try trust(record?.authority, from: file.path)
        return HTTPBackend(address: address, trust: trust, logger: logger, sender: sender) { file.token }
    }

    /// The user's options for a connection besides its address.
    package struct Connecting: Sendable {
        /// A PEM file with certificates to trust besides the system's.
        package var authorityFile: String?
        /// Whether a remote connection may be unencrypted.
        package var allowsPlaintext = false

        package init() {}
    }

    /// Exchanges a code for a token and stores the token, replacing that of an earlier sign-in with the same account.
    ///
    /// - Parameters:
    ///   - secondFactor: A code from the account's authenticator app, or a recovery code.
    ///   - replaces: Whether it may also replace a different account's sign-in.
    /// - Returns: Nil if the account requires a second factor and `secondFactor` is nil.
    package static func signIn(
        to url: String, code: String, secondFactor: String? = nil, device: String, replaces: Bool = false,
        _ connecting: Connecting = Connecting(), logger: Logger
    ) async throws(DaemonFailure) -> ServerSignIn? {
        let seat = try ServerSeat(url)
        let address = seat.address
        try requireEncryption(of: address, isAllowed: connecting.allowsPlaintext)
        let file = StandardPaths.current.signInFile(server: seat.description)
        let (authority, trust) = try authority(in: connecting.authorityFile)
        let connection = ServerConnection(address: address, trust: trust, logger: logger) { nil }
        // A seat with an account takes only that account's codes.
        let present = seat.account ?? (replaces ? nil : record(at: url)?.account)
        do {
            let answer = try await connection.signIn(
                code: code, secondFactor: secondFactor, device: device, account: present)
            let record = ServerSignIn(
                server: seat.description, account: answer.account, device: answer.device, token: answer.token,
                deviceName: device, authority: authority, allowsPlaintext: connecting.allowsPlaintext)
            try record.save(to: file)
            return record
        } catch {
            if secondFactor == nil, (error as? CloudError)?.asksSecondFactor == true { return nil }
            if let present, (error as? CloudError)?.code == .foreign { throw otherAccount(present, seat) }
            throw failure(error, file)
        }
    }

    private static func otherAccount(_ account: String, _ seat: ServerSeat) -> DaemonFailure {
        guard seat.account == nil else {
            return DaemonFailure(
                .conflict, "the code is not of the account \(account)", path: seat.address.description,
                advice: "Pass the account of the code with --account. The code is still valid.")
        }
        return DaemonFailure(
            .conflict, "you are signed in as \(account), and the code is of another account",
            path: seat.address.description,
            advice:
                "Keep both: name the code's account with --account. Or sign out first: `ubiquity logout \(seat.address)`; or pass --force: mounts of \(account)'s documents then stop syncing until \(account) is signed in again. The code is still valid."
        )
    }

    /// Rejects an unencrypted connection unless it is allowed: the code, the token and every document would cross the network in the clear.
    private static func requireEncryption(of address: ServerAddress, isAllowed: Bool) throws(DaemonFailure) {
        guard !address.isEncrypted, !address.isLoopback, !isAllowed else { return }
        throw DaemonFailure(
            .invalidRequest, "http:// sends the sign-in and all documents unencrypted", path: address.description,
            advice: "Use https://, or sign in with: ubiquity login --insecure \(address).")
    }

    /// Reads the file of `--ca`.
    ///
    /// - Returns: Its text, and trust in its certificates beside the system's; without a file, trust in the system's.
    static func authority(in file: String?) throws(DaemonFailure) -> (text: String?, trust: ServerTrust) {
        guard let file else { return (nil, .system) }
        let text: String
        do { text = try String(contentsOf: URL(filePath: file), encoding: .utf8) } catch {
            throw DaemonFailure(.notFound, "cannot read the CA certificate: no such file, or no permission", path: file)
        }
        return (text, try trust(text, from: file))
    }

    private static func trust(_ authority: String?, from file: String) throws(DaemonFailure) -> ServerTrust {
        guard let authority else { return .system }
        do { return try ServerTrust(additional: authority) } catch {
            throw DaemonFailure(
                .invalidRequest, "this file has no certificate in PEM form", path: file,
                advice: "It begins with -----BEGIN CERTIFICATE-----.")
        }
    }

    /// Returns this device's sign-in at a server; nil if it is not signed in there.
    package static func record(at url: String) -> ServerSignIn? {
        // An invalid address has no sign-in.
        guard let seat = try? ServerSeat(url) else { return nil }
        return TokenFile(.current, server: seat.description).record
    }

    /// Ends the device's access on the server and deletes its token. With `onlyHere` the server is not contacted.
    package static func signOut(of url: String, onlyHere: Bool, logger: Logger) async throws(DaemonFailure) {
        let seat = try ServerSeat(url)
        let file = TokenFile(.current, server: seat.description)
        guard let record = file.record else {
            throw DaemonFailure(.notFound, "this device is not signed in there", path: seat.description)
        }
        let trust = try trust(record.authority, from: file.path)
        do {
            if !onlyHere {
                try await ServerConnection(address: seat.address, trust: trust, logger: logger) { record.token }
                    .signOut()
            }
        } catch {
            // If the server no longer accepts the token, the device is signed out already.
            guard let error = error as? CloudError, error.code == .unauthorized else { throw failure(error, file.path) }
        }
        file.remove()
    }

    private static func failure(_ error: any Error, _ file: String) -> DaemonFailure {
        guard let error = error as? CloudError else {
            return DaemonFailure(.failed, "the token cannot be kept (\(error))", path: file)
        }
        let code: DaemonFailure.Code =
            switch error.code {
            case .offline: .offline
            case .unauthorized: .permissionDenied
            case .tooNew, .tooOld: .versionMismatch
            default: .failed
            }
        return DaemonFailure(code, sentences: error.message)
    }
}
