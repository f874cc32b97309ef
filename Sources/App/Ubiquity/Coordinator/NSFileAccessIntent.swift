public import Foundation
import Synchronization

/// An item of a coordinated access to several items: its URL, and whether it is read or written.
///
/// Apple's name: `NSFileAccessIntent`.
// The URL is behind a Mutex.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {
    private let current: Mutex<URL>
    let purpose: WantedItem.Purpose

    init(_ url: URL, _ purpose: WantedItem.Purpose) {
        current = Mutex(url)
        self.purpose = purpose
    }

    /// Returns an intent to read the item.
    open class func readingIntent(
        with url: URL, options: NSFileCoordinator.ReadingOptions = []
    ) -> NSFileAccessIntent { NSFileAccessIntent(url, .reading(options)) }

    /// Returns an intent to write the item.
    open class func writingIntent(
        with url: URL, options: NSFileCoordinator.WritingOptions = []
    ) -> NSFileAccessIntent { NSFileAccessIntent(url, .writing(options)) }

    /// The item's URL. In the accessor, this is the current URL; use it instead of the requested URL.
    open var url: URL { current.withLock { $0 } }

    var wanted: WantedItem { WantedItem(url: url, purpose: purpose) }

    func follow(_ url: URL) { current.withLock { $0 = url } }
}
