import Foundation
import HTTPTransport
import Logging
import S3Client

extension S3Client {
    /// Returns the client for the bucket with a server's chunks; nil for a server with its chunks in files. Nothing is
    /// requested yet.
    ///
    /// - Throws: `invalid` if the bucket's region is unknown.
    convenience init?(chunksOf place: ServerPlace, log: Logger) throws(StorageError) {
        guard let location = place.chunks else { return nil }
        let source = S3CredentialSource(
            file: place.credentialFile, environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory())
        do throws(S3ConfigurationError) {
            // Missing credentials are reported with the first request.
            let region = (try? source.find())?.region ?? source.region()
            try self.init(location, region: region, transport: HTTPConnections(trust: source.trust()), logger: log) {
                () throws(S3ConfigurationError) in try source.find().credentials
            }
        } catch { throw StorageError(.invalid, error.message, cause: error) }
    }
}
