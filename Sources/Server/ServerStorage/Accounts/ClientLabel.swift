/// What a device, a browser or a passkey calls itself, as it is stored.
enum ClientLabel {
    /// The client chose it: nothing in that may harm the terminal that shows it.
    static func of(_ name: String) -> String {
        let visible = name.unicodeScalars.filter { !$0.properties.isWhitespace || $0 == " " }
            .filter { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
        return String(String.UnicodeScalarView(visible.prefix(64)))
    }
}
