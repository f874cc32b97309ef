/// An element of a small document: its text if it has no children, or its children.
package struct XMLElement: Hashable, Sendable {
    package let name: String
    package var children: [XMLElement] = []
    package var text = ""

    /// No response of an object store is deeper than `ListBucketResult/Contents/Owner/ID`.
    static let maximumDepth = 16
    /// Enough for a page of 1,000 objects with some dozen elements each.
    static let maximumElements = 32_768

    package init(_ name: String, text: String = "") {
        self.name = name
        self.text = text
    }

    package init(_ name: String, _ children: [XMLElement]) {
        self.name = name
        self.children = children
    }

    /// Parses a document with a single root element.
    package init(parsing bytes: [UInt8]) throws(XMLError) {
        var scanner = XMLScanner(bytes)
        var open: [XMLElement] = []
        var root: XMLElement?
        var count = 0
        while let token = try scanner.next() {
            switch token {
            case .start(let name):
                count += 1
                guard root == nil else { throw .malformed }
                guard open.count < Self.maximumDepth else { throw .tooDeep }
                guard count <= Self.maximumElements else { throw .tooManyElements }
                open.append(XMLElement(name))
            case .text(let text):
                if open.isEmpty {
                    // Only white space and a byte order mark may be outside the root element.
                    guard text.allSatisfy({ $0.isWhitespace || $0 == "\u{FEFF}" }) else { throw .malformed }
                } else {
                    open[open.count - 1].text += text
                }
            case .end(let name):
                guard var element = open.popLast(), element.name == name else { throw .malformed }
                // White space between children is only layout.
                if !element.children.isEmpty { element.text = "" }
                if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
            }
        }
        guard let root, open.isEmpty else { throw .malformed }
        self = root
    }

    /// The first child with that name.
    package func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// The text of the first child with that name.
    package subscript(_ name: String) -> String? { child(name)?.text }

    /// The element as XML. All names have to be valid XML names.
    package var encoded: String {
        "<\(name)>" + (children.isEmpty ? Self.escaped(text) : children.map(\.encoded).joined()) + "</\(name)>"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\u{1}"..."\u{1F}", "\u{7F}": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
