import Basics
import Fuse
import Glibc
import LocalMetadata
import VirtualFileSystem

/// Replies to an announcer, so the kernel performs its calls and sends the events for them while nothing changes in the
/// tree. Each reply has been checked against the tree: if it differs from the announcement by now, the call fails.
extension MountedFileSystem {
    /// Looks up a name for an announcer. Nothing shown to it may be cached for others.
    func lookup(
        _ place: Announcement.Place, for announcement: Announcement?, request: consuming FuseRequest<Reply.Entry>
    ) {
        let context = request.context
        if place.parent == .root, place.name == Announcements.greeting(of: context.process) {
            announcements.noteGreeting(of: context.process)
            request.fail(ENOENT)
            return
        }
        switch announcement?.sight(of: place) {
        case .absent?: request.fail(ENOENT)
        case .item?: request.reply(entry(of: announcement, context))
        case nil:
            do { request.reply(uncached(try files.lookup(place.name, in: place.parent))) } catch {
                request.fail(code(error))
            }
        }
    }

    /// The item of an announcement, possibly gone: the kernel only needs its kind and its owner then.
    private func entry(of announcement: Announcement?, _ context: FuseContext) -> FuseEntry {
        guard let announcement else { return .absent(timeout: .zero) }
        if let attributes = try? files.attributes(of: announcement.node) { return uncached(attributes) }
        let type = announcement.kind == .folder ? S_IFDIR : announcement.kind == .symlink ? S_IFLNK : S_IFREG
        let attributes = FuseAttributes(
            node: announcement.node.value, mode: type | 0o700, user: context.user, group: context.group, size: 0,
            modificationTime: .zero)
        return FuseEntry(attributes, timeout: .zero)
    }

    private func uncached(_ attributes: NodeAttributes) -> FuseEntry {
        FuseEntry(Self.fuse(attributes), timeout: .zero)
    }

    func announceCreation(
        at place: Announcement.Place, _ announcement: Announcement?, request: consuming FuseRequest<Reply.Entry>
    ) {
        guard let announcement, announcement.change == .created, announcement.place == place else {
            request.fail(EPERM)
            return
        }
        do {
            let attributes = try files.lookup(place.name, in: place.parent)
            guard attributes.node == announcement.node, attributes.kind == announcement.kind else {
                request.fail(EEXIST)
                return
            }
            request.reply(uncached(attributes))
        } catch { request.fail(code(error)) }
    }

    func announceRemoval(
        at place: Announcement.Place, isFolder: Bool, _ announcement: Announcement?,
        request: consuming FuseRequest<Reply.Done>
    ) {
        guard let announcement, announcement.change == .removed, announcement.place == place,
            isFolder == (announcement.kind == .folder)
        else {
            request.fail(EPERM)
            return
        }
        finish(request, if: isFree(place))
    }

    func announceMove(
        from former: Announcement.Place, to place: Announcement.Place, _ announcement: Announcement?,
        request: consuming FuseRequest<Reply.Done>
    ) {
        guard let announcement, announcement.change == .moved(from: former), announcement.place == place else {
            request.fail(EPERM)
            return
        }
        let isThere = (try? files.lookup(place.name, in: place.parent))?.node == announcement.node
        finish(request, if: isThere && isFree(former))
    }

    func announceModification(
        of node: NodeID, _ changes: FuseSetAttributes, _ announcement: Announcement?,
        request: consuming FuseRequest<Reply.Attributes>
    ) {
        guard let announcement, announcement.change == .modified, announcement.node == node, changes.size == nil else {
            request.fail(EPERM)
            return
        }
        do { reply(try files.attributes(of: node), to: request) } catch { request.fail(code(error)) }
    }

    private func finish(_ request: consuming FuseRequest<Reply.Done>, if isCurrent: Bool) {
        if isCurrent { request.succeed() } else { request.fail(EBUSY) }
    }

    /// Returns whether the name is free. In an unreadable tree it counts as taken.
    private func isFree(_ place: Announcement.Place) -> Bool {
        do { _ = try files.lookup(place.name, in: place.parent) } catch { return code(error) == ENOENT }
        return false
    }
}
