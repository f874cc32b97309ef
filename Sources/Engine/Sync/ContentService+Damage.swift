import LocalMetadata
import Logging
import Transfers

/// Reports damaged bytes: a reader gets an error from `read(2)`; the document's status shows the damage to everyone else.
extension ContentService {
    /// Records why a document cannot be downloaded, if waiting does not help. The record stays until its bytes are on
    /// this device.
    func noteDamage(_ error: any Error, of item: LocalItem) async {
        guard let error = error as? TransferError, error.isLasting else { return }
        do {
            try await context.blocking { [context] in
                try context.metadata.write { transaction in
                    guard var row = try transaction.local.item(item.node), row.generation == item.generation,
                        row.downloadError != error.message
                    else { return }
                    row.downloadError = error.message
                    try transaction.local.update(row)
                }
            }
        } catch { context.log.warning("could not note an error", metadata: ["error": "\(error)"]) }
    }
}

extension TransferError {
    /// Whether the cloud responded without the requested bytes, so that a retry does not help.
    fileprivate var isLasting: Bool {
        switch code {
        case .damaged, .notFound, .tooNew, .tooLarge: true
        case .offline, .stalled, .noSpace, .changedWhileReading, .localFile, .quota, .refused, .failed, .stopped: false
        }
    }
}
