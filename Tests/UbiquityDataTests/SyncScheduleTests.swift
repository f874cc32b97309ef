import TestSupport
import Testing

@testable import UbiquityData

@Suite("When an open document publishes and imports")
struct SyncScheduleTests {
    private typealias Work = SyncSchedule.Work

    @Test("an open document publishes and imports at once, and then only when there is a reason")
    func opening() {
        var schedule = SyncSchedule()
        #expect(schedule.handle(.opened, at: .zero).run == [.publish, .importFiles])
        let rest = schedule.handle(.finished(.init()), at: .seconds(1))
        #expect(rest.run == nil)
        #expect(rest.wake == .seconds(1) + SyncSchedule.idleInterval)
        #expect(schedule.handle(.filesArrived, at: .seconds(5)).run == .importFiles)
        _ = schedule.handle(.finished(.init()), at: .seconds(5))
        #expect(schedule.handle(.committed, at: .seconds(6)).run == .publish)
    }

    @Test("files that the log does not have yet are looked for less and less often")
    func confirmations() {
        var schedule = SyncSchedule()
        var now = Duration.zero
        _ = schedule.handle(.opened, at: now)
        var pauses: [Duration] = []
        for _ in 0..<7 {
            let action = schedule.handle(.finished(.init(isUnconfirmed: true)), at: now)
            let wake = action.wake ?? now
            pauses.append(wake - now)
            now = wake
            #expect(schedule.handle(.timer, at: now).run == .importFiles)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    }

    @Test("after random events, publications are a second apart, work never overlaps, and each commit is published")
    func random() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var schedule = SyncSchedule()
            var now = Duration.zero
            var running: Work?
            var wake: Duration?
            var lastPublication: Duration?
            var failures = 0
            var failureTime = Duration.zero
            /// The time of the first unpublished commit.
            var committed: Duration? = .zero

            func take(_ action: SyncSchedule.Action) {
                if let time = action.wake { wake = min(wake ?? time, time) }
                guard let run = action.run else { return }
                #expect(running == nil, "seed \(seed)")
                running = run
                if run.contains(.publish) {
                    if let last = lastPublication {
                        #expect(now - last >= SyncSchedule.publishInterval, "seed \(seed)")
                    }
                    lastPublication = now
                }
                if failures > 0, run != .look { #expect(now - failureTime >= .seconds(1), "seed \(seed)") }
            }

            take(schedule.handle(.opened, at: now))
            for _ in 0..<200 {
                now += .milliseconds(random.number(0..<700))
                if let time = wake, time <= now {
                    now = time
                    wake = nil
                    take(schedule.handle(.timer, at: now))
                    continue
                }
                switch random.number(0..<6) {
                case 0:
                    committed = committed ?? now
                    take(schedule.handle(.committed, at: now))
                case 1: take(schedule.handle(.touched, at: now))
                case 2: take(schedule.handle(.filesArrived, at: now))
                default:
                    guard let run = running else { continue }
                    running = nil
                    var outcome = SyncSchedule.Outcome()
                    if run != .look {
                        outcome.hasFailed = random.chance(20)
                        outcome.isBusy = random.chance(10)
                        outcome.isUnreachable = random.chance(10)
                        outcome.isUnconfirmed = random.chance(30)
                    }
                    outcome.hasForeignCommit = run.contains(.look) && random.chance(30)
                    if run != .look {
                        failures = outcome.hasFailed ? failures + 1 : 0
                        failureTime = now
                        let isDone = !outcome.hasFailed && !outcome.isBusy && !outcome.isUnreachable
                        if run.contains(.publish), isDone { committed = nil }
                    }
                    take(schedule.handle(.finished(outcome), at: now))
                }
            }
            // Left alone, with a working cloud, it publishes all commits.
            for _ in 0..<20 where committed != nil {
                if running != nil {
                    let run = running
                    running = nil
                    if run?.contains(.publish) == true { committed = nil }
                    take(schedule.handle(.finished(.init()), at: now))
                } else if let time = wake {
                    now = max(now, time)
                    wake = nil
                    take(schedule.handle(.timer, at: now))
                } else {
                    Issue.record("seed \(seed): nothing wakes the loop")
                    break
                }
            }
            #expect(committed == nil, "seed \(seed)")
        }
    }
}
