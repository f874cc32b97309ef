package import Basics
import CloudModel

/// The facts about a document that belong to the name under which a person sees it, and not to the file that has the name: most programs save
/// by putting another file in its place.
package struct DocumentSettings: Sendable, Equatable {
    /// Whether a person keeps it on this device, by an attribute.
    package var isExcluded: Bool
    package var isPaused: Bool
    package var pin: PinState
    package var created: Timestamp
    /// The extended attributes that a person sets, such as tags.
    package var tags: [String: [UInt8]]

    /// The attributes of the freedesktop convention for extended attributes that a person sets, and Baloo's rating. Others describe the
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

    /// Whether the document is not to be sent, for ever or for now.
    package var isHeldBack: Bool { isExcluded || isPaused }
}

extension LocalItem {
    /// Takes over what a person had set on the document whose name this item gets. What was set on the item itself stays.
    package mutating func inherit(_ settings: DocumentSettings) {
        if settings.isExcluded, kind != .folder { exclusion = .byAttribute }
        if settings.isPaused { isPaused = true }
        if pin == .inherited { pin = settings.pin }
        guard kind == .file || kind == .folder else { return }
        attributes.extended.merge(settings.tags) { own, _ in own }
    }
}
