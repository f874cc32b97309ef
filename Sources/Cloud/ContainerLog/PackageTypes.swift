package import CloudModel

/// Which folders are documents of their own. The list belongs to the rules of the log, not to a device's settings: two
/// devices with different lists would fold one log into two trees.
package enum PackageTypes {
    package static let extensions: Set<String> = [
        "app", "bundle", "pages", "key", "numbers", "sparsebundle", "rtfd", "textbundle", "xcodeproj", "ulysses",
    ]

    /// Whether a folder of this name is a package; the extension is compared without regard to ASCII case.
    package static func isPackage(_ name: ItemName) -> Bool {
        let ending = name.stemAndExtension.extension
        guard !ending.isEmpty else { return false }
        return extensions.contains(String(decoding: ending.dropFirst(), as: UTF8.self).lowercased())
    }
}
