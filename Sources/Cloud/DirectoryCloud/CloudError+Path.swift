import CloudStorage
import Glibc

/// The kind of an operation; the meaning of a permission error depends on it.
enum Access {
    case reading
    case writing
}

extension CloudError {
    /// Translates a failed call on a path for the user of the cloud in `root`.
    init(_ error: PathError, _ access: Access, root: String) {
        let code = Code(error.code, access)
        let place = Self.place(error.path, root: root)
        let verb = access == .reading ? "read" : "write"
        self.init(code, "Could not \(verb) \(place). \(code.advice(root))", cause: error.errno)
    }
}

extension CloudError {
    /// Returns the path to report. Names of temporary files are random, so their folder is named instead.
    private static func place(_ path: String, root: String) -> String {
        guard !path.isEmpty else { return root }
        let folder = "\(CloudLayout.temporary)/"
        return path.hasPrefix(folder) ? "\(root)/\(CloudLayout.temporary)" : "\(root)/\(path)"
    }
}

extension CloudError.Code {
    /// Maps an error of errno(3).
    init(_ errno: Int32, _ access: Access) {
        self =
            switch errno {
            case ENOSPC, EDQUOT, EFBIG: .quota
            case EROFS: .readOnly
            // The path has something other than our files and folders, or a link out of the directory.
            case EBADMSG, ELOOP, EXDEV: .damaged
            case EACCES, EPERM: access == .writing ? .readOnly : .unauthorized
            // The errors of a removed disk, or an unreachable server.
            case ENODEV, ENXIO, ENOTCONN, ESTALE, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT: .offline
            default: .failed
            }
    }

    fileprivate func advice(_ root: String) -> String {
        switch self {
        case .quota: "Free some space on the disk that holds \(root); changes will be uploaded afterwards."
        case .readOnly: "Make \(root) writable for you; changes will be uploaded afterwards."
        case .unauthorized: "Make \(root) readable for you."
        case .offline: "Connect the disk or server that holds \(root)."
        case .damaged: "It has the wrong type, or is a link that leads out of \(root). Restore it from a backup."
        default: "Check the disk that holds \(root); the operation will be retried."
        }
    }
}
