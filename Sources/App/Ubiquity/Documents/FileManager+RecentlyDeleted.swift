import Basics
import DaemonProtocol
public import Foundation

extension FileManager {
    /// Returns restorable items deleted by any device in the last 30 days, newest first.
    ///
    /// A folder removed with its contents is a single item. The list is read from this device's database,
    /// without the network.
    ///
    /// - Parameters:
    ///   - url: The folder to search at any depth; the folder itself may be deleted. Nil searches all containers.
    ///   - limit: The maximum number of items.
    /// - Throws: `CocoaError.featureUnsupported` for a folder outside any container.
    public func recentlyDeletedUbiquitousItems(
        in url: URL? = nil, limit: Int = 1_000
    ) throws -> [UbiquitousDeletedItem] {
        let place = try url.map { try mountAndPath(of: $0) }
        guard let mount = place?.mount ?? ClaimRouter.shared.principalMount else { return [] }
        let subject = url ?? URL(filePath: mount.root, directoryHint: .isDirectory)
        do throws(DaemonFailure) {
            let path = if let place { try mount.path(place.path) } else { MountPath.root }
            var items: [UbiquitousDeletedItem] = []
            var next: String?
            while items.count < limit {
                let request = DeletedRequest(path: path, after: next, limit: UInt64(clamping: limit - items.count))
                let page = try mount.call(request)
                items += page.items.map { UbiquitousDeletedItem($0, below: mount.root) }
                next = page.next
                guard next != nil else { break }
            }
            return items
        } catch { throw error.cocoa(subject) }
    }

    /// Restores a deleted item; a folder is restored with everything removed along with it. The bytes are downloaded
    /// when they are read.
    ///
    /// - Parameter destination: A folder, or a name in a folder, in the same container. Nil restores the item where it
    ///   was, together with the deleted folders above it. If the name is taken, ` 2` is appended.
    /// - Returns: The item's new URL.
    /// - Throws: `CocoaError.fileNoSuchFile` if the item can no longer be restored, `featureUnsupported` for a
    ///   destination outside any container.
    @discardableResult
    public func restoreUbiquitousItem(_ item: UbiquitousDeletedItem, to destination: URL? = nil) throws -> URL {
        let (mount, path) = try mountAndPath(of: item.url)
        let target = try destination.map { try mountAndPath(of: $0).path }
        do throws(DaemonFailure) {
            let to: MountPath? = if let target { try mount.path(target) } else { nil }
            let request = RestoreDeletedRequest(path: try mount.path(path), itemID: item.identifier, to: to)
            let restored = try mount.call(request)
            return UbiquitousDeletedItem.url(of: restored.path, below: mount.root, isDirectory: item.isDirectory)
        } catch { throw error.cocoa(item.url) }
    }

    /// Permanently removes a deleted item with its earlier versions; a folder with everything removed along with it. No
    /// device can restore it.
    ///
    /// A server frees the space immediately, a directory or a bucket with its next garbage collections. If another
    /// device edited the document without knowing of this, the edit restores it. Needs no network; the change
    /// is sent next.
    ///
    /// - Throws: `CocoaError.fileNoSuchFile` if the item can no longer be restored, `fileLocking` while its deletion
    ///   has not reached the cloud.
    public func purgeUbiquitousItem(_ item: UbiquitousDeletedItem) throws {
        let (mount, path) = try mountAndPath(of: item.url)
        do throws(DaemonFailure) {
            let answer = try mount.call(PurgeDeletedRequest(path: try mount.path(path), itemID: item.identifier))
            guard answer.unsent == 0 else { throw Self.unsent(item.url) }
        } catch { throw error.cocoa(item.url) }
    }

    /// Permanently removes all deleted items with their earlier versions, as ``purgeUbiquitousItem(_:)`` does for a
    /// single item.
    ///
    /// - Parameters:
    ///   - url: Removes only items from this folder, at any depth; the folder itself may be deleted. Nil stands
    ///     for all containers.
    ///   - date: Removes only items deleted until then, such as the time when a person was asked. Nil stands for now.
    /// - Returns: The bytes of the removed documents and versions, an upper bound for the space freed by the cloud.
    /// - Throws: `CocoaError.featureUnsupported` for a folder outside any container, `fileLocking` if items stayed
    ///   because their deletion has not reached the cloud.
    @discardableResult
    public func purgeRecentlyDeletedUbiquitousItems(
        in url: URL? = nil, deletedUntil date: Date? = nil
    ) throws -> Int64 {
        let place = try url.map { try mountAndPath(of: $0) }
        guard let mount = place?.mount ?? ClaimRouter.shared.principalMount else { return 0 }
        let subject = url ?? URL(filePath: mount.root, directoryHint: .isDirectory)
        do throws(DaemonFailure) {
            let path = if let place { try mount.path(place.path) } else { MountPath.root }
            let answer = try mount.call(PurgeDeletedRequest(path: path, until: date.map(Self.time)))
            guard answer.unsent == 0 else { throw Self.unsent(subject) }
            return Int64(clamping: answer.bytes)
        } catch { throw error.cocoa(subject) }
    }

    /// An unrepresentable date, or none at all, becomes the nearest representable time.
    private static func time(_ date: Date) -> WireTime {
        let seconds = date.timeIntervalSince1970
        guard seconds > -9e9 else { return WireTime(Timestamp(seconds: 0)) }
        return WireTime(Timestamp(nanoseconds: Int64(min(seconds, 9e9) * 1e9)))
    }

    private static func unsent(_ url: URL) -> DaemonFailure {
        DaemonFailure(
            .busy, "the deletion has not reached the cloud yet", path: url.path, advice: "Try again when it has.")
    }

    private func mountAndPath(of url: URL) throws -> (mount: MountAuthority, path: String) {
        let route = ClaimRouter.shared.route(url)
        guard let mount = route.mount else {
            throw CoordinationFailure.error(.featureUnsupported, "\(url.path) is not in a container.", at: url)
        }
        return (mount, route.path)
    }
}
