package import Basics
import CloudModel

/// A document's properties bound to its user-visible name, not to the file of that name: most programs save by
/// replacing the file.
package struct DocumentSettings: Sendable, Equatable {
    /// Whether the user keeps it on this device, by an attribute.
    package var isExcluded: Bool
    package var isPaused: Bool
    package var pin: PinState
    package var created: Timestamp
    /// The extended attributes set by the user, such as tags.
    package var tags: [String: [UInt8]]

    /// The freedesktop convention's extended attributes set by the user, and Baloo's rating. Others describe the
    /// content, or belong to the program that wrote the file.
    package static let tagNames = ["user.xdg.tags", "user.xdg.comment", "user.baloo.rating"]

    package init(isExcluded: Bool, isPaused: Bool, pin: PinState, created: Timestamp, tags: [String: [UInt8]]) {
        self.isExcluded = isExcluded
        self.isPaused = isPaused
        self.pin = pin
        self.created = created
        self.tags = tags
    }

    package init(of item: LocalItem) {
        let extended = item.attributes.extended
        self.init(
            isExcluded: item.exclusion == .byAttribute, isPaused: item.isPaused, pin: item.pin,
            created: item.attributes.created,
            tags: extended.isEmpty ? [:] : extended.filter { Self.tagNames.contains($0.key) })
    }

    /// Whether nothing was set.
    package var areStandard: Bool { !isHeldBack && pin == .inherited && tags.isEmpty }

    /// Whether the document is withheld from sync, forever or for now.
    package var isHeldBack: Bool { isExcluded || isPaused }
}

extension LocalItem {
    /// Takes over the user's settings of the former document of this item's new name. Settings of the item itself stay.
    package mutating func inherit(_ settings: DocumentSettings) {
        if settings.isExcluded, kind != .folder { exclusion = .byAttribute }
        if settings.isPaused { isPaused = true }
        if pin == .inherited { pin = settings.pin }
        guard kind == .file || kind == .folder else { return }
        attributes.extended.merge(settings.tags) { own, _ in own }
    }
}
