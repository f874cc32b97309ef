package import Basics
import Glibc

/// The file with a bucket's credentials, readable by its owner only (mode 0600), in the format of Amazon's credentials
/// file.
package struct S3CredentialFile: Sendable {
    package let path: String

    /// Credentials have a few hundred bytes; a larger file is not a credentials file.
    static let maximumSize = 1 << 20

    package init(_ path: String) { self.path = path }

    /// - Returns: Nil if the file does not exist.
    /// - Throws: ``S3ConfigurationError`` if the file is readable or owned by a different user, or if it holds no
    ///   credentials.
    package func load() throws(S3ConfigurationError) -> S3CredentialSource.Found? {
        let text: String?
        do throws(Errno) { text = try Self.text(of: path, isPrivate: true) } catch {
            guard error.code == EPERM else { throw S3ConfigurationError("\(path) cannot be read: \(error).") }
            throw S3ConfigurationError(
                "\(path) is not used: others can read its credentials. Run chmod 600 \(path), and replace the keys if others used this machine."
            )
        }
        guard let text else { return nil }
        let settings: [String: String]
        do throws(INIError) { settings = try INIDocument(parsing: text).sections["default"] ?? [:] } catch {
            throw S3ConfigurationError("\(path) cannot be read: line \(error.line) is neither a setting nor a section.")
        }
        guard let credentials = try S3CredentialSource.credentials(in: settings, origin: path) else {
            throw S3ConfigurationError("\(path) holds no credentials.")
        }
        return S3CredentialSource.Found(credentials: credentials, region: settings["region"], origin: path)
    }

    /// The file with the certificate authority stored with the credentials.
    var authorityPath: String { "\(path).pem" }

    /// Replaces the file atomically; on return it is durable.
    ///
    /// - Parameter authority: Certificates in PEM form, stored in ``authorityPath``; nil removes earlier certificates.
    package func save(_ credentials: S3Credentials, region: String?, authority: String? = nil) throws(Errno) {
        if let authority {
            try DurableFile(authorityPath, mode: 0o600).replace(with: Array(authority.utf8))
        } else {
            try remove(authorityPath)
        }
        var lines = [
            "[default]", "aws_access_key_id = \(credentials.accessKey)",
            "aws_secret_access_key = \(credentials.secretKey)",
        ]
        if let token = credentials.sessionToken { lines.append("aws_session_token = \(token)") }
        if let region { lines.append("region = \(region)") }
        try DurableFile(path, mode: 0o600).replace(with: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Deletes the credentials and the certificates stored with them.
    ///
    /// - Throws: `ENOENT` if there are none.
    package func delete() throws(Errno) {
        try remove(authorityPath)
        try check("unlink") { unlink(path) }
    }

    private func remove(_ path: String) throws(Errno) {
        do throws(Errno) { try check("unlink") { unlink(path) } } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Returns the text of a regular file; nil if it does not exist.
    ///
    /// - Parameter isPrivate: Whether the file has to be private: owned by this user and inaccessible to anyone else.
    /// - Throws: `EPERM` if it is not; `EFBIG` for a file of more than a mebibyte.
    static func text(of path: String, isPrivate: Bool = false) throws(Errno) -> String? {
        let file: Int32
        // Opening a pipe would otherwise wait for its writer.
        do throws(Errno) { file = try check("open") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return nil
        }
        defer { close(file) }
        var status = stat()
        try check("fstat") { fstat(file, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Errno(EINVAL, "open") }
        if isPrivate {
            guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else { throw Errno(EPERM, "open") }
        }
        return String(decoding: try bytes(of: file), as: UTF8.self)
    }

    private static func bytes(of file: Int32) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try check("read") { read(file, &part, part.count) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= maximumSize else { throw Errno(EFBIG, "read") }
            bytes.append(contentsOf: part[..<count])
        }
    }
}
