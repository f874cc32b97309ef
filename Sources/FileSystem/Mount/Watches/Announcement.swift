package import LocalMetadata

/// A change of the tree made by no program on this device. The kernel sends inotify(7) events only for system calls, so
/// ``AnnouncerProgram`` performs a call on the mount, to which ``MountedFileSystem`` replies without changing anything.
package struct Announcement: Sendable, Equatable {
    /// A name in a folder.
    package struct Place: Hashable, Sendable {
        package let parent: NodeID
        package let name: [UInt8]

        package init(parent: NodeID, name: [UInt8]) {
            self.parent = parent
            self.name = name
        }
    }

    package enum Change: Sendable, Equatable {
        case created
        case removed
        case moved(from: Place)
        case modified
    }

    /// The announcer's view of a name, chosen to let the kernel perform its call.
    enum Sight: Equatable {
        case absent
        case item
    }

    package let node: NodeID
    package let kind: LocalKind
    /// The item's place, or its last place before its removal.
    package let place: Place
    package let change: Change

    package init(node: NodeID, kind: LocalKind, place: Place, change: Change) {
        self.node = node
        self.kind = kind
        self.place = place
        self.change = change
    }

    /// Returns nil for a name shown unchanged to the announcer.
    func sight(of place: Place) -> Sight? {
        switch change {
        case .created: place == self.place ? .absent : nil
        case .removed: place == self.place ? .item : nil
        case .moved(let former): place == former ? .item : place == self.place ? .absent : nil
        case .modified: nil
        }
    }
}
