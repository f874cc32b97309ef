public import Foundation
import Synchronization

/// One item of an access that is coordinated with others at once: what is to be done to it, and where it is.
///
/// Apple's name: `NSFileAccessIntent`.
// Its URL is behind a Mutex.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {
    private let current: Mutex<URL>
    let purpose: WantedItem.Purpose

    init(_ url: URL, _ purpose: WantedItem.Purpose) {
        current = Mutex(url)
        self.purpose = purpose
    }

    /// To read.
    open class func readingIntent(
        with url: URL, options: NSFileCoordinator.ReadingOptions = []
    ) -> NSFileAccessIntent { NSFileAccessIntent(url, .reading(options)) }

    /// To write.
    open class func writingIntent(
        with url: URL, options: NSFileCoordinator.WritingOptions = []
    ) -> NSFileAccessIntent { NSFileAccessIntent(url, .writing(options)) }

    /// Where the item is: in the accessor where it is then, to be used in place of the one that was asked for.
    open var url: URL { current.withLock { $0 } }

    var wanted: WantedItem { WantedItem(url: url, purpose: purpose) }

    func follow(_ url: URL) { current.withLock { $0 = url } }
}
