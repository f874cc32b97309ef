import Basics
import CloudStorage
package import DaemonProtocol
import FoundationEssentials
import Glibc
import HTTPTransport
package import Logging
import S3Client
import S3Cloud

/// Access of this device to a bucket: a mount's backend and its credentials.
package enum BucketAccess {
    static func backend(_ url: String, _ logger: Logger) throws(DaemonFailure) -> any CloudBackend {
        let source = try source(of: url)
        let trust: ServerTrust
        do throws(S3ConfigurationError) { trust = try source.trust() } catch {
            throw DaemonFailure(.invalidRequest, sentences: error.message)
        }
        let client = try client(of: url, region: source.storedRegion, trust, logger) {
            () throws(S3ConfigurationError) in try source.find().credentials
        }
        return S3Backend(client, logger: logger)
    }

    /// Checks an address without a request.
    package static func check(_ url: String) throws(DaemonFailure) { _ = try location(url) }

    /// Stores credentials for a bucket after the store has accepted them. They replace earlier credentials.
    ///
    /// - Parameter authorityFile: A PEM file with a certificate authority to trust for this bucket; a copy is kept.
    package static func signIn(
        to url: String, accessKey: String, secretKey: String, sessionToken: String?, authorityFile: String? = nil,
        logger: Logger
    ) async throws(DaemonFailure) {
        let location = try location(url)
        guard let credentials = S3Credentials(accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken)
        else {
            throw DaemonFailure(
                .invalidRequest, "these are no credentials: they are empty, or hold spaces or other characters",
                path: location.description, advice: "Copy the access key and the secret key whole.")
        }
        let region = try source(of: url).region()
        let (authority, trust) = try ServerAccess.authority(in: authorityFile)
        let client = try client(of: url, region: region, trust, logger) { () throws(S3ConfigurationError) in
            credentials
        }
        do { _ = try await client.list(location.prefix, limit: 1) } catch {
            throw DaemonFailure(.permissionDenied, sentences: "\(error)")
        }
        let file = path(of: location)
        do {
            if let slash = file.lastIndex(of: "/") { try createDirectories(String(file[..<slash])) }
            try S3CredentialFile(file).save(credentials, region: region, authority: authority)
        } catch {
            throw DaemonFailure(.failed, "the credentials cannot be kept (\(error))", path: file)
        }
    }

    /// Deletes the stored credentials of a bucket. They stay valid.
    package static func signOut(of url: String) throws(DaemonFailure) {
        let file = path(of: try location(url))
        do throws(Errno) { try S3CredentialFile(file).delete() } catch {
            guard error.code == ENOENT else {
                throw DaemonFailure(.failed, "the credentials cannot be deleted (\(error))", path: file)
            }
            throw DaemonFailure(.notFound, "no credentials are kept for this bucket", path: url)
        }
    }

    /// - Parameter collects: Whether the device may delete chunks.
    /// - Returns: The policy for a device's credentials as JSON.
    package static func policy(of url: String, collects: Bool) throws(DaemonFailure) -> String {
        let policy = S3Policy(for: try location(url), collects: collects)
        do { return try policy.json() } catch {
            throw DaemonFailure(.failed, "the policy cannot be written (\(error))", path: url)
        }
    }

    // MARK: Parts

    private static func location(_ url: String) throws(DaemonFailure) -> S3Location {
        do throws(S3ConfigurationError) { return try S3Location(parsing: url) } catch {
            // The address may hold credentials, so the message does not repeat it.
            throw DaemonFailure(.invalidRequest, sentences: error.message)
        }
    }

    private static func client(
        of url: String, region: String?, _ trust: ServerTrust, _ logger: Logger,
        _ credentials: @escaping @Sendable () throws(S3ConfigurationError) -> S3Credentials
    ) throws(DaemonFailure) -> S3Client {
        let location = try location(url)
        do throws(S3ConfigurationError) {
            return try S3Client(
                location, region: region, transport: HTTPConnections(trust: trust), logger: logger,
                credentials: credentials)
        } catch { throw DaemonFailure(.invalidRequest, sentences: error.message) }
    }

    private static func source(of url: String) throws(DaemonFailure) -> S3CredentialSource {
        let paths = StandardPaths.current
        return S3CredentialSource(
            file: path(of: try location(url)), environment: ProcessInfo.processInfo.environment, home: paths.home)
    }

    /// The file belongs to the bucket, its store and the prefix; the address's remaining settings do not matter.
    private static func path(of location: S3Location) -> String {
        let endpoint = location.endpoint.map { "?endpoint=\($0)" } ?? ""
        return StandardPaths.current.bucketFile("\(S3Location.scheme)\(location.bucket)/\(location.prefix)\(endpoint)")
    }
}

extension S3CredentialSource {
    /// The region configured with the credentials; nil without a region or credentials.
    fileprivate var storedRegion: String? {
        // Missing credentials are reported with the first request.
        (try? find())?.region ?? region()
    }
}
