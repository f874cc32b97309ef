import CloudModel
public import Foundation

/// Sharing through a folder of a mounted container.
///
/// The folder belongs into the container's data area, beside `Documents`, so that people do not see the files.
extension UbiquitousDatabase {
    /// Writes what was committed since the last call into files that the mount sends to the other devices. Call it at most once a second: each
    /// file is an entry of the log. A call that fails, or a program that ends meanwhile, loses nothing.
    ///
    /// Returns the number of files.
    @discardableResult
    public func publish(to folder: URL) throws -> Int { try publish(to: records(in: folder)) }

    /// Takes over what other devices have sent since the last call, and returns what changed. Reading a file may wait for its download.
    ///
    /// - Parameter progress: Is called on the thread of the call after each step, and once when the import is done.
    @discardableResult
    public func importChanges(
        from folder: URL, progress: @escaping (UbiquitousImportProgress) -> Void = { _ in }
    ) throws -> UbiquitousChanges {
        try importFiles(from: records(in: folder), progress: progress)
    }

    private func records(in folder: URL) throws -> RecordFolder {
        guard let store = ItemID(identifier) else {
            throw UbiquitousDatabaseError.damaged(path: path, what: "its identity cannot be read")
        }
        return RecordFolder(path: folder.path, store: store, device: try device)
    }
}
