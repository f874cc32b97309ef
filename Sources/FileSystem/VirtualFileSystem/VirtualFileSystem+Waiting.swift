import Basics
import CloudModel
import Glibc
import LocalContent
import LocalMetadata
import Synchronization
import Transfers

/// Waiting for missing bytes, and what ends it.
extension VirtualFileSystem {
    /// Returns whether a read of the range can be served from ``OpenFile/State/descriptor`` now.
    package func isReady(_ range: Range<UInt64>, in handle: OpenHandle) throws -> Bool {
        let download = handle.file.state.withLock { $0.download }
        guard let download else { return true }
        guard download.isPresent(range) else { return false }
        fetchRest(of: handle, download)
        return true
    }

    /// Waits until the range is local. Ends early when the task is cancelled; the fetch continues for other readers.
    package func wait(for range: Range<UInt64>, in handle: OpenHandle) async throws {
        guard let download = handle.file.state.withLock({ $0.download }) else { return }
        if handle.permit.allowance == .full {
            download.noteRead(range)
            // A reader of the whole file waits for the rest itself.
            if range.lowerBound > 0 || range.upperBound < download.reference.size { fetchRest(of: handle, download) }
        } else if range.lowerBound >= DownloadAllowance.headSize {
            throw Errno(EAGAIN, "its bytes are not here, and the program may download the head only")
        }
        try await download.ensure(range, patience: source.patience)
        // A reader does not have to wait until the bytes are durable.
        if handle.canWrite, download.isComplete { try await finishDownload(of: handle.file) }
    }

    /// Has the rest of the file fetched once its readers have taken more than a look at its head.
    private func fetchRest(of handle: OpenHandle, _ download: ContentDownload) {
        guard handle.permit.allowance == .full, download.wantsRest, !download.isComplete,
            let item = handle.file.state.withLock({ $0.item })
        else {
            return
        }
        source.completeInBackground(item)
    }

    /// Returns whether the file can be written now; a placeholder must be whole first, and its row must say so.
    package func isWritable(_ handle: OpenHandle) throws -> Bool {
        try settleDownload(of: handle.file)
        return handle.file.isWhole
    }

    /// Waits until all bytes are local and recorded, so the file can be written.
    package func waitUntilWhole(_ handle: OpenHandle) async throws {
        guard let download = handle.file.state.withLock({ $0.download }) else { return }
        try await download.ensure(0..<download.reference.size, patience: source.patience)
        try await finishDownload(of: handle.file)
        guard handle.file.isWhole else { throw Errno(EIO, "its download could not be recorded") }
    }

    private func finishDownload(of file: OpenFile) async throws {
        if let item = file.state.withLock({ $0.incomplete?.row }) { try await source.finishDownload(of: item) }
        try settleDownload(of: file)
    }

    /// Treats the file like any other once the download is complete and its row says so. Not before: an edit recorded
    /// in a row without bytes would be refused, and the end of the download would hide it by setting the blob's time.
    private func settleDownload(of file: OpenFile) throws {
        try file.state.withLock { state in
            guard let download = state.download, download.isComplete, var item = state.item else { return }
            // Without a row only the handles remain, and there is nothing to update.
            if let row = try metadata.read({ try $0.local.item(item.node) }) {
                guard row.presence == .whole, row.blob == item.blob else { return }
                item = row
                state.item = row
            }
            state.incomplete?.download = nil
            guard state.session.writers > 0 else { return }
            // A handle waits to write: from now on any difference from the download is an edit.
            try LocalContent.setModified(item.attributes.modified, descriptor: state.descriptor)
            state.session.baseline = try BlobStatus(descriptor: state.descriptor)
        }
    }
}
