import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Sync
import Testing

@Suite("Failed downloads")
struct FailedDownloadTests {
    /// Creates a file with a failed download: a placeholder, or a file with its old version still local.
    private func failed(_ test: KernellessDevice, _ name: String, pin: PinState = .inherited, hasOld: Bool) throws
        -> LocalItem
    {
        try test.save(name, [1, 2, 3])
        var item = try #require(try test.row(name))
        let content = ContentReference(digest: Digest(words: (1, 2, 3, 4)), size: 3, layout: .chunk)
        (item.isEdited, item.pendingSince, item.isKnown) = (false, nil, true)
        (item.content, item.presence, item.pin) = (content, hasOld ? .whole : .none, pin)
        item.downloadError = "The disk is full."
        let newest = ContentReference(digest: Digest(words: (9, 9, 9, 9)), size: 3, layout: .chunk)
        let row = item
        try test.metadata.write { transaction in
            try transaction.local.update(row)
            var agreed = CloudItem(
                id: row.item, parent: .documents, name: row.name, attributes: row.attributes,
                body: .file(.stored(content)),
                version: VersionID(sequence: LogSequence(1), index: 0), author: DeviceID(9), authorName: "there")
            try transaction.synced.set(agreed, in: row.container)
            agreed.body = .file(.stored(hasOld ? newest : content))
            var remote = transaction.remote(in: row.container)
            try remote.put(agreed)
        }
        return item
    }

    @Test("a download of a newer version or a kept file is requested again; one for an open is not")
    func which() throws {
        let test = try KernellessDevice(time: SystemTime())
        _ = try failed(test, "stale", hasOld: true)
        _ = try failed(test, "kept", pin: .keep, hasOld: false)
        _ = try failed(test, "seen", hasOld: false)
        let failed = FailedDownloads(test.context)
        #expect(try !failed.look(after: .seconds(4)), "it was not given time to heal")
        #expect(try failed.look(after: .seconds(1)))
        for name in ["stale", "kept"] {
            let item = try #require(try test.row(name))
            #expect(item.wanted > 0 && item.downloadError == nil, "\(name)")
        }
        let seen = try #require(try test.row("seen"))
        #expect(seen.wanted == 0 && seen.downloadError != nil)
    }

    @Test("pauses between failing attempts grow, and are short again once downloads succeed")
    func pauses() {
        var pauses = RetryPauses()
        var waits: [Duration] = []
        for _ in 0..<9 {
            var wait = Duration.zero
            repeat { wait += .seconds(1) } while !pauses.isDue(after: .seconds(1))
            waits.append(wait)
            pauses.looked(found: true)
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 320, 320, 320].map { .seconds($0) })
        pauses.looked(found: false)
        let (soon, then) = (pauses.isDue(after: .seconds(4)), pauses.isDue(after: .seconds(1)))
        #expect(!soon && then)
    }
}
