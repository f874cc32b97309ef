import LocalMetadata
import Logging
import Transfers

/// A reader sees that bytes are damaged as an error of `read(2)`; everybody else sees it in the document's status.
extension ContentService {
    /// Notes why a document can not be had, where waiting does not help. It stays until its bytes are here.
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
    /// The cloud has an answer, and it is not the bytes.
    fileprivate var isLasting: Bool {
        switch code {
        case .damaged, .notFound, .tooNew, .tooLarge: true
        case .offline, .stalled, .noSpace, .changedWhileReading, .localFile, .quota, .refused, .failed, .stopped: false
        }
    }
}
