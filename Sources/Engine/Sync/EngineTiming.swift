import Basics

/// The pauses and delays of the engine.
package struct EngineTiming: Sendable {
    /// The delay after the last close of a file or the last change of a name: long enough for a program to finish its save, short enough
    /// for the change to be visible elsewhere within a second.
    package var settle: Duration = .milliseconds(250)
    /// The delay after the last write to a file that stays open (databases, logs).
    package var settleOpen: Duration = .seconds(2)
    /// The time between batches, or groups of uploads, while changes keep arriving: each costs a few disk flushes,
    /// however small it is.
    package var gather: Duration = .milliseconds(250)
    /// The time between the upload of settled files and their batch. The engine waits twice this time after ``settle``,
    /// which saves a batch.
    package var lead: Duration = .milliseconds(20)
    /// How long a reader waits while none of its bytes arrive.
    package var patience: Duration = Patience.limit
    /// How long an eviction waits for the cloud to confirm that it has the bytes. Without an answer, everything stays.
    package var confirmation: Duration = .seconds(10)
    /// The polling interval for a cloud without change notifications.
    package var poll: Duration = .seconds(30)
    /// The interval between checks of open files, use times and the cache's size.
    package var maintenance: Duration = .seconds(1)

    package init() {}
}
