import CloudModel
public import Foundation

/// Sharing through a folder of a mounted container.
///
/// The folder belongs in the container's data area, beside `Documents`, so that people do not see the files.
extension UbiquitousDatabase {
    /// Writes all commits since the last call into files for the mount to send to other devices. Call it at most once a
    /// second: each file is a log entry. If a call fails or the program ends meanwhile, nothing is lost.
    ///
    /// Returns the number of files.
    @discardableResult
    public func publish(to folder: URL) throws -> Int { try publish(to: records(in: folder)) }

    /// Imports changes sent by other devices since the last call, and returns them. Reading a file may wait
    /// for its download.
    ///
    /// - Parameter progress: Called on the caller's thread after each step, and once at the end of the import.
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
