/// The name that a device, a browser or a passkey gives itself, as it is stored.
enum ClientLabel {
    /// Removes characters that could harm the terminal that shows the name, which the client chose.
    static func of(_ name: String) -> String {
        let visible = name.unicodeScalars.filter { !$0.properties.isWhitespace || $0 == " " }
            .filter { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
        return String(String.UnicodeScalarView(visible.prefix(64)))
    }
}
