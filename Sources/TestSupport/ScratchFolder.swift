import Foundation
import Glibc

/// A folder that no other process has, as mkdtemp(3) creates it. A name from the process's number would be that of a killed
/// process's folder when the number returns.
package enum ScratchFolder {
    /// A disk in memory if available.
    package static let memory =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    /// Creates a folder and returns its canonical path. The caller removes the folder.
    ///
    /// - Parameter prefix: The beginning of its name.
    package static func create(_ prefix: String, in parent: String = NSTemporaryDirectory()) throws -> String {
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let path = realpath(template, nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: parent, "errno": errno])
        }
        defer { free(path) }
        return String(cString: path)
    }
}
