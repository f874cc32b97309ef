/// The stored form of the name that a device, a browser or a passkey gives itself.
enum ClientLabel {
    /// Removes characters harmful to the terminal showing the name, which the client chose.
    static func of(_ name: String) -> String {
        let visible = name.unicodeScalars.filter { !$0.properties.isWhitespace || $0 == " " }
            .filter { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
        return String(String.UnicodeScalarView(visible.prefix(64)))
    }
}
