/// The name of a container, `com.example.notes`; the mount shows it with `~` for each dot.
package struct ContainerName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// Accepts 1 to 128 letters, digits, `-` (not first, or a program took the folder for an option), `_` and dots (not first, not last, not
    /// doubled); nil otherwise.
    package init?(_ text: String) {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard allowed, (1...128).contains(text.utf8.count), !text.hasPrefix("."), !text.hasPrefix("-"),
            !text.hasSuffix("."),
            !text.contains("..")
        else { return nil }
        self.text = text
    }

    /// The initial container of a new account.
    package static let cloudDocs = ContainerName(wellKnown: "CloudDocs")

    private init(wellKnown text: String) { self.text = text }

    package var folderName: String { text.replacing(".", with: "~") }

    /// Creates the name of the container created by `mkdir` with this folder name in the mount's root.
    package init?(folderName: String) { self.init(folderName.replacing("~", with: ".")) }

    package var description: String { text }
    package static func < (left: ContainerName, right: ContainerName) -> Bool { left.text < right.text }
}
