import Basics
import CloudModel
import CloudStorage
import Dispatch
import Logging
import SystemPackage
import Testing

@testable import DirectoryCloud

@Suite("Queue of cloud events", .timeLimit(.minutes(10)))
struct EventMailboxTests {
    @Test("Equal events that are not consumed yet are merged")
    func coalesced() async {
        let mailbox = EventMailbox()
        for _ in 0..<1000 {
            mailbox.post(.containerChanged(.cloudDocs))
            mailbox.post(.containersChanged)
        }
        #expect(await mailbox.next() == .containerChanged(.cloudDocs))
        #expect(await mailbox.next() == .containersChanged)
        mailbox.post(.containersChanged)
        #expect(await mailbox.next() == .containersChanged)
    }

    @Test("The end of the events wakes the reader and is permanent")
    func end() async {
        let mailbox = EventMailbox()
        let reader = Task { await mailbox.next() }
        mailbox.end()
        #expect(await reader.value == nil)
        mailbox.post(.containersChanged)
        #expect(await mailbox.next() == nil)
    }
}

@Suite("The thread that watches a directory", .timeLimit(.minutes(10)))
struct DirectoryWatcherTests {
    @Test("A cloud that is created before the watches are set up is reported too")
    func cloudBeforeTheWatches() async throws {
        try await withFolder { folder in
            _ = try await newCloud(folder.appending("cloud"))
            var events = backend(folder.appending("cloud")).events().makeAsyncIterator()
            #expect(await events.next() == .reachabilityChanged)
            #expect(await events.next() == .containersChanged)
        }
    }

    @Test("A cloud that disappears while its watches are set up again because of a folder is reported")
    func leavesDuringArming() {
        let (here, there) = (WatchSet.Place(device: 1, inode: 2), WatchSet.Place(device: 1, inode: 3))
        let armed = DirectoryWatcher.Armed(reason: .structure, place: here)
        #expect(armed.mayHaveMoved(to: nil))
        #expect(armed.mayHaveMoved(to: there))
        #expect(!armed.mayHaveMoved(to: here))
    }

    @Test("The thread ends when it is stopped, whether the cloud exists or not", arguments: ["/", "/no/such/cloud"])
    func stop(path: String) async throws {
        let (stop, ended) = (try StopSignal(), DispatchSemaphore(value: 0))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try OwnThread.detach("test") {
            DirectoryWatcher(root: FilePath(path), mailbox: EventMailbox(), stop: stop, logger: logger).run()
            ended.signal()
        }
        stop.send()
        try await DirectoryThreads(width: 1).run { ended.wait() }
    }
}
