public import Foundation

extension Progress {
    /// Receives a progress when a transfer begins, and returns a function to call when it has ended.
    public typealias PublishingHandler = @Sendable (Progress) -> UnpublishingHandler?
    public typealias UnpublishingHandler = @Sendable () -> Void

    /// Subscribes to a document's downloads and uploads, initiated by any program or device.
    ///
    /// The progress counts bytes; its user info has ``Foundation/ProgressUserInfoKey/fileURLKey`` and
    /// ``Foundation/ProgressUserInfoKey/fileOperationKindKey``. It cannot be cancelled or paused. The handlers are
    /// called on a queue of the library. A transfer of less than a quarter of a second may not be published. If the
    /// transfer fails, the progress is unpublished before it is finished.
    ///
    /// - Parameter url: The document itself: subscribing to a folder does not subscribe to its contents, unless it
    ///   is a package.
    /// - Returns: A token for ``removeSubscriber(_:)``. The subscription ends with it.
    public class func addSubscriber(
        forFileURL url: URL, withPublishingHandler publishingHandler: @escaping PublishingHandler
    ) -> Any {
        let route = ClaimRouter.shared.route(url)
        // Items outside containers have no transfers.
        guard let mount = route.mount, let path = try? mount.path(route.path) else { return NSNull() }
        let subscription = ProgressSubscription(url, mount, path, publishingHandler)
        subscription.start()
        return subscription
    }

    /// Ends a subscription. A published progress is unpublished.
    public class func removeSubscriber(_ subscriber: Any) { (subscriber as? ProgressSubscription)?.stop() }
}

extension Progress.FileOperationKind {
    /// The file is being uploaded. Foundation has this kind on Apple's platforms only.
    public static let uploading = Progress.FileOperationKind(rawValue: "NSProgressFileOperationKindUploading")
}
