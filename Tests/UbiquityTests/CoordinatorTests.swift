import Foundation
import Synchronization
import Testing
import Ubiquity

/// Tests outside of every mount, where this process decides alone.
@Suite("NSFileCoordinator")
struct CoordinatorTests {
    /// Runs `work` on a separate thread.
    ///
    /// - Returns: A semaphore, signalled when `work` ends.
    private func aside(_ work: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            work()
            done.signal()
        }
        return done
    }

    @Test("a read and a write run their accessors once, with the given URL, and without an error")
    func plain() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            var error: NSError?
            var runs: [URL] = []
            let coordinator = NSFileCoordinator()
            coordinator.coordinate(writingItemAt: url, options: [], error: &error) { url in
                runs.append(url)
                try? Data("x".utf8).write(to: url)
            }
            coordinator.coordinate(readingItemAt: url, options: .withoutChanges, error: &error) { runs.append($0) }
            #expect(runs == [url, url] && error == nil)
        }
    }

    @Test("a reader waits for a writer of the same file, by any spelling of its path")
    func excluded() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "link"), withDestinationURL: folder)
            let order = Mutex<[String]>([])
            let isWriting = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            let writer = aside {
                NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { _ in
                    isWriting.signal()
                    mayEnd.wait()
                    order.withLock { $0.append("write") }
                }
            }
            isWriting.wait()
            let reader = aside {
                let spelling = folder.appending(path: "./link/./a.txt")
                NSFileCoordinator().coordinate(readingItemAt: spelling, error: nil) { _ in
                    order.withLock { $0.append("read") }
                }
            }
            // Metadata is read immediately, even during a write.
            NSFileCoordinator().coordinate(
                readingItemAt: url, options: .immediatelyAvailableMetadataOnly, error: nil
            ) { _ in order.withLock { $0.append("metadata") } }
            mayEnd.signal()
            writer.wait()
            reader.wait()
            #expect(order.withLock { $0 } == ["metadata", "write", "read"])
        }
    }

    @Test("accesses of one coordinator, and of one purpose, never wait for each other")
    func purpose() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let (first, second) = (NSFileCoordinator(), NSFileCoordinator())
            first.purposeIdentifier = "com.example.same"
            second.purposeIdentifier = "com.example.same"
            first.purposeIdentifier = "another"
            #expect(first.purposeIdentifier == "com.example.same")
            var depth = 0
            first.coordinate(writingItemAt: url, error: nil) { url in
                first.coordinate(writingItemAt: url, error: nil) { url in
                    second.coordinate(writingItemAt: url, error: nil) { _ in depth = 3 }
                }
            }
            #expect(depth == 3)
        }
    }

    @Test(
        "a write inside another coordinator's write would deadlock: an error at once, and the accessor does not run"
    )
    func deadlock() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            var error: NSError?
            var ran = false
            NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { url in
                NSFileCoordinator().coordinate(writingItemAt: url, error: &error) { _ in ran = true }
            }
            #expect(error?.cocoa == .fileLocking && !ran, "\(String(describing: error))")
        }
    }

    @Test("cancel ends a waiting access with an error, and its accessor never runs")
    func cancel() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let waiting = NSFileCoordinator()
            let failure = Mutex<NSError?>(nil)
            NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { _ in
                let begun = DispatchSemaphore(value: 0)
                let reader = aside {
                    var error: NSError?
                    begun.signal()
                    waiting.coordinate(readingItemAt: url, error: &error) { _ in Issue.record("it ran") }
                    failure.withLock { $0 = error }
                }
                begun.wait()
                // Whether the read already waits or is requested later, it is cancelled.
                waiting.cancel()
                reader.wait()
            }
            #expect(failure.withLock { $0?.cocoa } == .userCancelled)
        }
    }

    @Test("after cancel every kind of access of that coordinator is refused, and other coordinators continue")
    func cancelledForGood() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("x".utf8).write(to: url)
            let coordinator = NSFileCoordinator()
            coordinator.cancel()
            var error: NSError?
            coordinator.coordinate(writingItemAt: url, error: &error) { _ in Issue.record("it ran") }
            #expect(error?.cocoa == .userCancelled)
            var batch: NSError?
            coordinator.prepare(forReadingItemsAt: [url], writingItemsAt: [], error: &batch) { _ in
                Issue.record("it ran")
            }
            #expect(batch?.cocoa == .userCancelled)
            let code = await withCheckedContinuation { continuation in
                coordinator.coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) {
                    continuation.resume(returning: ($0 as NSError?)?.cocoa)
                }
            }
            #expect(code == .userCancelled)
            await #expect(throws: NSError.self) { try await coordinator.coordinate(readingItemAt: url) { _ in } }
            let text = try await NSFileCoordinator().coordinate(readingItemAt: url) {
                try String(contentsOf: $0, encoding: .utf8)
            }
            #expect(text == "x")
        }
    }

    @Test(
        "a file that was deleted during the wait is an error and is not created by accident; replacing it is no error")
    func deleted() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("x".utf8).write(to: url)
            let outcomes = Mutex<[String]>([])
            NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { _ in
                let options: [NSFileCoordinator.WritingOptions] = [[], .forReplacing]
                let intents = options.map { NSFileAccessIntent.writingIntent(with: url, options: $0) }
                for intent in intents {
                    NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { error in
                        let code = (error as NSError?)?.cocoa
                        outcomes.withLock {
                            $0.append(code == .fileNoSuchFile ? "gone" : "\(String(describing: code))")
                        }
                    }
                }
                try? FileManager.default.removeItem(at: url)
            }
            // This write runs after both.
            NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing, error: nil) { _ in }
            while outcomes.withLock({ $0.count }) < 2 { sched_yield() }
            #expect(outcomes.withLock { Set($0) } == ["gone", "nil"])
        }
    }

    @Test("a file for uploading is a copy that does not change, and no access waits for its reader")
    func uploading() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("x".utf8).write(to: url)
            var copy: URL?
            NSFileCoordinator().coordinate(readingItemAt: url, options: .forUploading, error: nil) { snapshot in
                copy = snapshot
                NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { try? Data("y".utf8).write(to: $0) }
                #expect((try? String(contentsOf: snapshot, encoding: .utf8)) == "x")
            }
            let path = try #require(copy).path
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try String(contentsOf: url, encoding: .utf8) == "y")
        }
    }

    @Test("a batch is held until its completion handler is called or released; accesses inside it need not wait")
    func batch() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let coordinator = NSFileCoordinator()
            var error: NSError?
            var ran = false
            coordinator.prepare(forReadingItemsAt: [], writingItemsAt: [url], error: &error) { end in
                coordinator.coordinate(writingItemAt: url, error: nil) { _ in ran = true }
                end()
            }
            coordinator.prepare(forReadingItemsAt: [url], writingItemsAt: [], error: &error) { _ in }
            #expect(ran && error == nil)
        }
    }

    @Test("two items are claimed together; intents are updated, and the accessor runs on the queue")
    func intents() throws {
        try inFolder { folder in
            let (from, to) = (folder.appending(path: "a"), folder.appending(path: "b"))
            try Data("x".utf8).write(to: from)
            NSFileCoordinator().coordinate(
                writingItemAt: from, options: .forMoving, writingItemAt: to, options: .forReplacing, error: nil
            ) { source, target in try? FileManager.default.moveItem(at: source, to: target) }
            let intent = NSFileAccessIntent.readingIntent(with: to)
            let done = DispatchSemaphore(value: 0)
            let queue = OperationQueue()
            NSFileCoordinator().coordinate(with: [intent], queue: queue) { error in
                #expect(error == nil && OperationQueue.current === queue)
                done.signal()
            }
            done.wait()
            #expect(try String(contentsOf: intent.url, encoding: .utf8) == "x")
        }
    }

    @Test("two hundred tasks coordinate one after the other without blocking threads")
    func tasks() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("0".utf8).write(to: url)
            try await withThrowingTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await NSFileCoordinator().coordinate(writingItemAt: url) { url in
                            let count = Int(try String(contentsOf: url, encoding: .utf8)) ?? 0
                            try Data("\(count + 1)".utf8).write(to: url)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try String(contentsOf: url, encoding: .utf8) == "200")
        }
    }

    @Test("a cancelled task stops waiting, and an error of the body is thrown after the claim was released")
    func taskEnds() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            await #expect(throws: CocoaError.self) {
                try await NSFileCoordinator().coordinate(writingItemAt: url) { _ in throw CocoaError(.fileReadTooLarge)
                }
            }
            let code = try await NSFileCoordinator().coordinate(writingItemAt: url) { url in
                let task = Task.detached {
                    do {
                        try await NSFileCoordinator().coordinate(readingItemAt: url) { _ in }
                        return nil as CocoaError.Code?
                    } catch { return (error as NSError).cocoa }
                }
                task.cancel()
                return await task.value
            }
            #expect(code == .userCancelled)
        }
    }
}
