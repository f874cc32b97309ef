import Basics
import DaemonProtocol
public import Foundation

extension FileManager {
    /// Returns the items that any device deleted in the last 30 days and that can be restored, newest first.
    ///
    /// A folder that was removed with its contents is one item. The list is read from this device's database, without the network.
    ///
    /// - Parameters:
    ///   - url: The folder to search at any depth; the folder itself may be deleted. Nil searches all containers.
    ///   - limit: The maximum number of items.
    /// - Throws: `CocoaError.featureUnsupported` for a folder that is in no container.
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

    /// Restores a deleted item; a folder is restored with everything that was removed with it. The bytes are downloaded when they are read.
    ///
    /// - Parameter destination: A folder, or a name in a folder, in the same container. Nil restores the item where it was, together with
    ///   the deleted folders above it. If the name is taken, ` 2` is appended.
    /// - Returns: The new URL of the item.
    /// - Throws: `CocoaError.fileNoSuchFile` if the item can no longer be restored, `featureUnsupported` for a destination that is in no
    ///   container.
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

    /// Removes a deleted item for good, with its earlier versions; a folder with everything that was removed with it. No device can restore it
    /// any more.
    ///
    /// A server frees the space immediately, a directory or a bucket with the next collections of garbage. An edit that another device made
    /// without knowing of this restores the document. Needs no network; the change is sent next.
    ///
    /// - Throws: `CocoaError.fileNoSuchFile` if the item can no longer be restored, `fileLocking` while its deletion has not reached the
    ///   cloud.
    public func purgeUbiquitousItem(_ item: UbiquitousDeletedItem) throws {
        let (mount, path) = try mountAndPath(of: item.url)
        do throws(DaemonFailure) {
            let answer = try mount.call(PurgeDeletedRequest(path: try mount.path(path), itemID: item.identifier))
            guard answer.unsent == 0 else { throw Self.unsent(item.url) }
        } catch { throw error.cocoa(item.url) }
    }

    /// Removes all deleted items for good, with their earlier versions, as ``purgeUbiquitousItem(_:)`` does for one.
    ///
    /// - Parameters:
    ///   - url: Only what was in this folder, at any depth; the folder itself may be deleted. Nil stands for all containers.
    ///   - date: Only what was deleted until then, such as the time at which a person was asked. Nil stands for now.
    /// - Returns: The bytes of the removed documents and versions, an upper bound for what the cloud frees.
    /// - Throws: `CocoaError.featureUnsupported` for a folder that is in no container, `fileLocking` if items stayed because their
    ///   deletion has not reached the cloud.
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

    /// A date beyond what a time can say, or none at all, is the nearest that it can.
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
