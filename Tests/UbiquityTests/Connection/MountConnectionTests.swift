import Basics
import Coordination
import DaemonProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Ubiquity

/// One of the threads waiting for a response reads for all of them. If none waits, a separate thread reads.
@Suite("MountConnection", .timeLimit(.minutes(10)))
struct MountConnectionTests {
    @Test("two threads get their own responses, whichever arrives first", arguments: [[0, 1], [1, 0]])
    func order(_ order: [Int]) throws {
        let (daemon, connection) = try HandDaemon.connected()
        let first = connection.askAside(7)
        let requests = [try daemon.next()]
        // By now, the first thread reads or is about to; the second only waits.
        let second = connection.askAside(8)
        let both = requests + [try daemon.next()]
        for index in order { try daemon.answer(both[index]) }
        #expect(try first.take().get() == 7)
        #expect(try second.take().get() == 8)
        daemon.end()
    }

    @Test("a thread that reads returns with its response, and another delivers the rest")
    func leaving() throws {
        let (daemon, connection) = try HandDaemon.connected()
        let first = connection.askAside(1)
        let one = try daemon.next()
        let second = connection.askAside(2)
        let two = try daemon.next()
        try daemon.answer(one)
        #expect(try first.take().get() == 1)
        try daemon.answer(two)
        #expect(try second.take().get() == 2)
        let third = connection.askAside(3)
        try daemon.answer(try daemon.next())
        #expect(try third.take().get() == 3)
        daemon.end()
    }

    @Test("events arrive while a thread waits for its response, and while none does")
    func events() throws {
        let heard = BlockingPromise<DaemonEvent>()
        let (daemon, connection) = try HandDaemon.connected { heard.put($0) }
        let answer = connection.askAside(1)
        let request = try daemon.next()
        try daemon.send(DaemonEnvelope(id: 0, .event(.alive)))
        #expect(heard.take() == .alive)
        try daemon.answer(request)
        #expect(try answer.take().get() == 1)

        let later = BlockingPromise<DaemonEvent>()
        let (other, idle) = try HandDaemon.connected { later.put($0) }
        try other.send(DaemonEnvelope(id: 0, .event(.alive)))
        #expect(later.take() == .alive)
        #expect(!idle.isOver)
        daemon.end()
        other.end()
    }

    @Test("a message that one thread delivers for another is handled outside its own claims")
    func enclosing() throws {
        let seen = BlockingPromise<Int>()
        let (daemon, connection) = try HandDaemon.connected { _ in seen.put(Enclosing.current.count) }
        let answer = BlockingPromise<Bool>()
        Thread.detachNewThread {
            let outer = Enclosing(authority: ProcessAuthority(), enclosure: .claim(ClaimID(1)))
            Enclosing.$current.withValue([outer]) { answer.put((try? connection.ask(1)) == 1) }
        }
        let request = try daemon.next()
        try daemon.send(DaemonEnvelope(id: 0, .event(.alive)))
        #expect(seen.take() == 0)
        try daemon.answer(request)
        #expect(answer.take())
        daemon.end()
    }

    @Test(
        "a write that was cancelled while it was granted is released by the reading thread, without waiting for a response"
    )
    func calledOff() throws {
        let (daemon, connection) = try HandDaemon.connected()
        let isGivenBack = BlockingPromise<Bool>()
        connection.send(PresentRequest(path: .root, callbacks: [], purpose: "1")) { id, _ in
            let answer = GrantedResponse(paths: [], claim: 7)
            let granted = MountAuthority.granted(.success(answer), id, connection, "/mount", isWrite: true)
            (try? granted.get())?.drop()
            isGivenBack.put(true)
        }
        let request = try daemon.next()
        try daemon.answer(request)
        let finish = try #require(try daemon.next().request.call as? FinishRequest)
        #expect(finish.claim == request.id && finish.isQuiet == true)
        #expect(isGivenBack.take())
        // The thread continues to read.
        let later = connection.askAside(2)
        try daemon.answer(try daemon.next())
        #expect(try later.take().get() == 2)
        daemon.end()
    }

    @Test("when the daemon exits, reading and waiting threads return, and the end is reported once")
    func end() throws {
        let ends = Mutex(0)
        let isOver = BlockingPromise<Bool>()
        let (daemon, connection) = try HandDaemon.connected(onEnd: {
            ends.withLock { $0 += 1 }
            isOver.put(true)
        })
        let waiting = [connection.askAside(1), connection.askAside(2)]
        _ = [try daemon.next(), try daemon.next()]
        daemon.end()
        for answer in waiting { #expect(throws: DaemonFailure.self) { try answer.take().get() } }
        #expect(isOver.take())
        #expect(throws: DaemonFailure.self) { try connection.ask(3) }
        #expect(ends.withLock(\.self) == 1)
    }

    @Test(
        "many threads that send requests at once all get their own responses, in any order of arrival", arguments: 1...4
    )
    func many(_ seed: UInt64) throws {
        let (daemon, connection) = try HandDaemon.connected()
        let (threads, rounds) = (6, 100)
        let results = (0..<threads).map { thread in
            let result = BlockingPromise<Result<Bool, any Error>>()
            Thread.detachNewThread {
                result.put(
                    Result {
                        try (0..<rounds).allSatisfy { round in
                            let number = UInt64(thread * rounds + round)
                            return try connection.ask(number) == number
                        }
                    })
            }
            return result
        }
        var generator = SeededGenerator(seed: seed)
        var left = Array(repeating: rounds, count: threads)
        /// The open requests, by their waiting threads.
        var open: [Int: ClientEnvelope] = [:]
        while let chosen = open.keys.sorted().randomElement(using: &generator) ?? left.firstIndex(where: { $0 > 0 }) {
            let isMore = left.indices.contains { left[$0] > 0 && open[$0] == nil }
            if open.isEmpty || (isMore && generator.chance(60)) {
                let envelope = try daemon.next()
                let thread = Int(try daemon.number(envelope)) / rounds
                open[thread] = envelope
                left[thread] -= 1
            } else if let envelope = open.removeValue(forKey: chosen) {
                try daemon.answer(envelope)
            }
        }
        for result in results { #expect(try result.take().get(), "seed \(seed)") }
        daemon.end()
    }
}
