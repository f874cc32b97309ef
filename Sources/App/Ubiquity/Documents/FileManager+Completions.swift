public import Foundation

/// Variants with a completion handler, called on a thread of the library.
extension FileManager {
    public func pauseSyncForUbiquitousItem(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Task {
            completionHandler(await Self.failure { try await FileManager.default.pauseSyncForUbiquitousItem(at: url) })
        }
    }

    public func resumeSyncForUbiquitousItem(
        at url: URL, with behavior: NSFileManagerResumeSyncBehavior,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Task {
            completionHandler(
                await Self.failure {
                    try await FileManager.default.resumeSyncForUbiquitousItem(at: url, with: behavior)
                })
        }
    }

    public func uploadLocalVersionOfUbiquitousItem(
        at url: URL, withConflictResolutionPolicy policy: NSFileManagerUploadLocalVersionConflictPolicy,
        completionHandler: @escaping @Sendable (NSFileVersion?, (any Error)?) -> Void
    ) {
        Task {
            do {
                let version = try await FileManager.default.uploadLocalVersionOfUbiquitousItem(
                    at: url, withConflictResolutionPolicy: policy)
                completionHandler(version, nil)
            } catch { completionHandler(nil, error) }
        }
    }

    public func fetchLatestRemoteVersionOfItem(
        at url: URL, completionHandler: @escaping @Sendable (NSFileVersion?, (any Error)?) -> Void
    ) {
        Task {
            do {
                completionHandler(try await FileManager.default.fetchLatestRemoteVersionOfItem(at: url), nil)
            } catch { completionHandler(nil, error) }
        }
    }

    private static func failure(_ work: () async throws -> Void) async -> (any Error)? {
        do {
            try await work()
            return nil
        } catch { return error }
    }
}
