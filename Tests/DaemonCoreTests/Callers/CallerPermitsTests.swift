import Glibc
import Logging
import Synchronization
import Testing
import VirtualFileSystem

@testable import DaemonCore

@Suite("Lookups of programs that open placeholders")
struct CallerPermitsTests {
    /// Invented processes, with a count of the expensive lookups.
    private final class FakeProcesses: ProcessSource {
        private struct State {
            var stats: [Int32: ProcessStat] = [:]
            var idle: Set<Int32> = []
            var lookups = 0
        }

        private let state = Mutex(State())

        func put(_ thread: Int32, name: String, start: UInt64 = 1, policy: Int32 = 0, hasIdleIO: Bool = false) {
            let line = "\(thread) (\(name)) S 1 1 1 0" + String(repeating: " 0", count: 14) + " \(start)"
            let text = line + String(repeating: " 0", count: 18) + " \(policy) 0 0\n"
            state.withLock {
                $0.stats[thread] = ProcessStat(parsing: Array(text.utf8))
                if hasIdleIO { $0.idle.insert(thread) } else { $0.idle.remove(thread) }
            }
        }

        var lookups: Int { state.withLock { $0.lookups } }
        func stat(of thread: Int32) -> ProcessStat? { state.withLock { $0.stats[thread] } }
        func hasIdleIO(_ thread: Int32) -> Bool { state.withLock { $0.idle.contains(thread) } }

        func facts(of stat: ProcessStat, hasIdleIO: Bool) -> ProcessFacts {
            state.withLock { $0.lookups += 1 }
            return ProcessFacts(
                ProcessFacts.Program(name: String(decoding: stat.name, as: UTF8.self)), hasIdleIO: hasIdleIO,
                isScheduledIdle: stat.isIdle)
        }
    }

    private final class FakeClock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    private let processes = FakeProcesses()
    private let clock = FakeClock()
    private let permits: CallerPermits

    init() {
        var log = Logger(label: "test")
        log.logLevel = .critical
        permits = CallerPermits(processes, log: log, now: { [clock] in clock.now }) { HydrationPolicy() }
    }

    /// Returns the allowance as a mount finds it out.
    private func allowance(of thread: Int32) -> DownloadAllowance {
        (permits.known(thread) ?? permits.lookUp(thread)).allowance
    }

    @Test("a program is known once it was looked up, and not before")
    func known() {
        processes.put(5, name: "tumblerd")
        #expect(permits.known(5) == nil && processes.lookups == 0)
        let permit = DownloadPermit(.deny, program: "tumblerd")
        #expect(permits.lookUp(5) == permit && permits.lookUp(5) == permit && processes.lookups == 1)
        #expect(permits.known(5) == permit)
    }

    @Test(
        "without a process, or with one that cannot be examined, the program gets everything and nothing is looked up")
    func unknown() {
        #expect(allowance(of: 0) == .full)
        #expect(allowance(of: -1) == .full)
        #expect(allowance(of: 99) == .full)
        #expect(processes.lookups == 0 && permits.count == 0)
    }

    @Test("a process is looked up once in ten seconds")
    func remembered() {
        processes.put(5, name: "tumblerd")
        for _ in 0..<100 { #expect(allowance(of: 5) == .deny) }
        #expect(processes.lookups == 1)
        clock.advance(by: CallerPermits.lifetime)
        #expect(allowance(of: 5) == .deny)
        #expect(processes.lookups == 2)
    }

    @Test("another process with the number of an earlier one, another program and another class are looked up at once")
    func changed() {
        processes.put(5, name: "tumblerd", start: 1)
        #expect(allowance(of: 5) == .deny)
        processes.put(5, name: "tumblerd", start: 2)
        #expect(allowance(of: 5) == .deny)
        #expect(processes.lookups == 2)
        processes.put(5, name: "cp", start: 2)
        #expect(allowance(of: 5) == .full)
        processes.put(5, name: "cp", start: 2, policy: 5)
        #expect(allowance(of: 5) == .deny)
        processes.put(5, name: "cp", start: 2, hasIdleIO: true)
        #expect(allowance(of: 5) == .deny)
        processes.put(5, name: "cp", start: 2)
        #expect(allowance(of: 5) == .full)
    }

    @Test("however many processes open documents, the number of remembered verdicts is bounded")
    func bounded() {
        for thread in 1...Int32(3 * CallerPermits.maximumCount) {
            processes.put(thread, name: "cp")
            #expect(allowance(of: thread) == .full)
            #expect(permits.count <= CallerPermits.maximumCount)
        }
    }

    @Test("of this process the kernel shows its name, program and parent; of no process and of one that ended, nothing")
    func thisProcess() throws {
        let table = ProcessTable()
        let stat = try #require(table.stat(of: getpid()))
        #expect(stat.id == getpid() && stat.parent == getppid() && !stat.isIdle)
        let facts = table.facts(of: stat, hasIdleIO: false)
        let path = try #require(facts.program.path)
        #expect(path.hasPrefix("/") && !facts.program.arguments.isEmpty)
        #expect(facts.parents.count <= 8)
        #expect(table.stat(of: 0) == nil && table.stat(of: -1) == nil && table.stat(of: .max) == nil)
        #expect(!table.hasIdleIO(0) && !table.hasIdleIO(.max))
    }
}
