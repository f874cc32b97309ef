import Basics

/// The pauses and delays of the engine.
package struct EngineTiming: Sendable {
    /// The delay after the last close of a file or the last change of a name: long enough for a program to finish its save, short enough
    /// for the change to be visible elsewhere within a second.
    package var settle: Duration = .milliseconds(250)
    /// The delay after the last write to a file that stays open (databases, logs).
    package var settleOpen: Duration = .seconds(2)
    /// The time from one batch, or one group of uploads, to the next while changes keep arriving: each costs a few flushes of the disk,
    /// however small it is.
    package var gather: Duration = .milliseconds(250)
    /// The time between the upload of settled files and the batch that names them. The engine waits twice this time after ``settle``, which
    /// saves one batch.
    package var lead: Duration = .milliseconds(20)
    /// How long a reader waits while none of its bytes arrive.
    package var patience: Duration = Patience.limit
    /// How long an eviction waits until the cloud has confirmed that it has the bytes. Without an answer, everything stays.
    package var confirmation: Duration = .seconds(10)
    /// The interval at which the engine polls a cloud that cannot notify of changes.
    package var poll: Duration = .seconds(30)
    /// The interval at which the engine checks open files, use times and the cache's size.
    package var maintenance: Duration = .seconds(1)

    package init() {}
}
