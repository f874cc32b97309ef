public import Foundation

extension NSFileCoordinator {
    /// Reads an item. The accessor runs on this thread with the item's current URL, while no coordinated access writes
    /// the item.
    ///
    /// - Parameter outError: Receives the error. The accessor did not run, unless the daemon ended, or this program was
    ///   stopped in the accessor for so long that others continued without it.
    public func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        coordinate([WantedItem(url: url, purpose: .reading(options))], outError) { reader($0[0]) }
    }

    /// Writes an item while no other coordinated access reads or writes it. A nonexistent item may be created.
    public func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        coordinate([WantedItem(url: url, purpose: .writing(options))], outError) { writer($0[0]) }
    }

    /// Reads an item and writes another, both held together.
    public func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [], writingItemAt writingURL: URL,
        options writingOptions: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor readerWriter: (URL, URL) -> Void
    ) {
        let wanted = [
            WantedItem(url: readingURL, purpose: .reading(readingOptions)),
            WantedItem(url: writingURL, purpose: .writing(writingOptions)),
        ]
        coordinate(wanted, outError) { readerWriter($0[0], $0[1]) }
    }

    /// Writes two items, both held together. To move an item, pass ``WritingOptions/forMoving`` and ``WritingOptions/forReplacing``.
    public func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        let wanted = [
            WantedItem(url: url1, purpose: .writing(options1)), WantedItem(url: url2, purpose: .writing(options2)),
        ]
        coordinate(wanted, outError) { writer($0[0], $0[1]) }
    }

    /// Claims many items together, for accesses of this coordinator inside the accessor, which then neither wait nor
    /// send further requests.
    ///
    /// - Parameter batchAccessor: Must call its argument when it has finished with the items; they are held until then.
    public func prepare(
        forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor batchAccessor: (@escaping @Sendable () -> Void) -> Void
    ) {
        let wanted =
            readingURLs.map { WantedItem(url: $0, purpose: .reading(readingOptions)) }
            + writingURLs.map { WantedItem(url: $0, purpose: .writing(writingOptions)) }
        coordinate(wanted, outError) { _ in
            let isOver = BlockingPromise<Bool>()
            do {
                let end = BatchEnd(isOver)
                batchAccessor { end.isOver.put(true) }
            }
            _ = isOver.take()
        }
    }

    private func coordinate(_ wanted: [WantedItem], _ outError: NSErrorPointer, _ accessor: ([URL]) -> Void) {
        do throws(CoordinationFailure) {
            let call = try makeCall()
            let access = try access(wanted, call)
            try access.begin(call)
            access.run(accessor)
            if let failure = access.end() { throw failure }
        } catch {
            outError?.pointee = error.cocoa(wanted)
        }
    }
}

/// Signals the end of a batch when it is released: an accessor releasing the block without calling it has finished with
/// the items too.
private final class BatchEnd: Sendable {
    let isOver: BlockingPromise<Bool>
    init(_ isOver: BlockingPromise<Bool>) { self.isOver = isOver }
    deinit { isOver.put(true) }
}
