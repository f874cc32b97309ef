import Testing

@testable import LocalMetadata

@Suite("When the write-ahead log is checkpointed")
struct CheckpointScheduleTests {
    private var schedule = CheckpointSchedule()
    private static let (step, limit) = (CheckpointSchedule.step, CheckpointSchedule.limit)

    @Test("a checkpoint runs in the background after each thousand pages, one at a time")
    mutating func background() {
        #expect(schedule.committed(length: Self.step - 1) == .none)
        #expect(schedule.committed(length: Self.step) == .inBackground)
        #expect(schedule.committed(length: 3 * Self.step) == .none, "one is running")
        schedule.backgroundEnded()
        #expect(schedule.committed(length: 3 * Self.step) == .inBackground)
        schedule.backgroundEnded()
        #expect(schedule.committed(length: 3 * Self.step + 1) == .none)
    }

    @Test("a log that was started again is checkpointed after its first thousand pages")
    mutating func restart() {
        #expect(schedule.committed(length: 8 * Self.step) == .inBackground)
        schedule.backgroundEnded()
        #expect(schedule.committed(length: 10) == .none)
        #expect(schedule.committed(length: Self.step) == .inBackground)
    }

    @Test(
        "at the limit the writer runs a checkpoint, but not with each commit while a reader keeps the log from being started again"
    )
    mutating func limit() {
        let runs = (0..<1000).count { commit in
            let length = Self.limit + commit * 8
            guard schedule.committed(length: length) == .byWriter else { return false }
            schedule.writerRan(length: length)
            return true
        }
        #expect(runs == 1000 * 8 / CheckpointSchedule.writerStep + 1)
        _ = schedule.committed(length: 10)
        #expect(schedule.committed(length: Self.limit) == .byWriter, "the log was started again meanwhile")
    }

    @Test("the writer tries again with the next commit where another checkpoint ran")
    mutating func busy() {
        #expect(schedule.committed(length: Self.limit) == .byWriter)
        #expect(schedule.committed(length: Self.limit + 1) == .byWriter)
    }
}
