import Basics
package import CloudProtocol
package import CloudStorage
package import DaemonProtocol
import DirectoryCloud
package import Logging
import SystemPackage

extension CloudAddress {
    /// Returns the backend for this address, with this device's credentials for it. Sends no request.
    ///
    /// - Parameter sender: The device's own identification to a server; nil for a program that is not a device.
    /// - Throws: ``DaemonFailure`` if the address is invalid, or `Errno` if the folder around the embedded cloud cannot
    ///   be created.
    package func backend(
        _ logger: Logger, sender: @escaping @Sendable () -> RequestSender? = { nil }
    ) throws -> any CloudBackend {
        let path: String
        switch self {
        case .directory(let directory): path = directory
        case .http(let url): return try ServerAccess.backend(url, logger, sender)
        case .s3(let url): return try BucketAccess.backend(url, logger)
        }
        // The embedded cloud may be created; any other folder's parent may be a disk not mounted now.
        let embedded = StandardPaths.current.embeddedCloud
        if path == embedded { try createDirectories(FilePath(embedded).removingLastComponent().string) }
        return DirectoryBackend(path: FilePath(path), logger: logger)
    }
}
