import CloudModel
import CloudStorage
import Cryptography
import Glibc

extension CloudDirectory {
    /// See ``HistoryJoining/joinHistories(of:)``. Each entry is replaced as a whole by a rename, from first to last, so
    /// an interrupted run leaves a log with a later break.
    func joinHistories(of container: ContainerName) throws(CloudError) {
        try perform(.writing, in: container) { directory in
            var before = Digest.zero
            var number: UInt64 = 1
            while let (frame, payload) = try readEntry(number, in: container, directory) {
                let digest = before.chained(payload)
                if digest != frame.digest { try replace(number, payload, digest, in: container, directory) }
                before = digest
                number += 1
            }
        }
    }

    private func replace(
        _ number: UInt64, _ payload: [UInt8], _ digest: Digest, in container: ContainerName, _ directory: Descriptor
    ) throws {
        let header = try header(of: payload) { bytes throws(StoredFrame.Problem) in try .entry(bytes, digest: digest) }
        try withTemporaryFile(in: directory, [header, payload], durable: true) { name in
            try directory.rename(name, to: CloudLayout.entry(container, number))
        }
        try directory.syncFolder(CloudLayout.logShard(container, CloudLayout.shard(of: number)))
    }
}
