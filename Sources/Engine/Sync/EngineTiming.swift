import Basics

/// How long the engine lets things rest.
package struct EngineTiming: Sendable {
    /// After the last close of a file or the last change of a name: long enough for a program to finish its save, short enough to be
    /// seen elsewhere within a second.
    package var settle: Duration = .milliseconds(250)
    /// After the last write to a file that stays open (databases, logs).
    package var settleOpen: Duration = .seconds(2)
    /// From one batch, or one group of uploads, to the next while changes keep coming: each costs a few flushes of the disk, however
    /// little is in it.
    package var gather: Duration = .milliseconds(250)
    /// Between the upload of what has settled and the batch that names it: two of it are waited after ``settle``, and one batch is saved.
    package var lead: Duration = .milliseconds(20)
    /// How long a reader waits for bytes that do not come.
    package var patience: Duration = Patience.limit
    /// Between looks at a cloud that can not notify of changes.
    package var poll: Duration = .seconds(30)
    /// Between looks at open files, use times and the cache's size.
    package var maintenance: Duration = .seconds(1)

    package init() {}
}
