package import Basics
package import CloudModel
import Glibc

/// Formats values for people.
package enum Shown {
    /// Returns a file name, isolated from the direction of the surrounding text, and without characters that could
    /// disguise it as a different name.
    package static func name(_ name: ItemName) -> HTML { "<bdi>\(text(name))</bdi>" }

    /// Returns a name as text. Bytes that are not UTF-8 and invisible characters become U+FFFD.
    package static func text(_ name: ItemName) -> String { visible(String(decoding: name.bytes, as: UTF8.self)) }

    package static func visible(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            // The joiner of emoji and of Indic scripts.
            case .format where scalar == "\u{200D}" || scalar == "\u{200C}": result.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    package static func size(_ bytes: UInt64) -> HTML {
        "<data value=\"\(bytes)\" title=\"\(bytes) bytes\">\(ByteCount(bytes).description)</data>"
    }

    static func size(_ folder: ShownFolderSize) -> HTML {
        folder.isComplete ? size(folder.bytes) : "more than \(size(folder.bytes))"
    }

    /// The zone of the times on a page. The script of live pages shows them in the browser's zone, and removes this.
    static let zone: HTML = "<span class=\"zone\">(UTC)</span>"

    /// Returns a time in UTC, to the minute.
    package static func time(_ time: Timestamp) -> HTML {
        let parts = civil(time)
        return "<time datetime=\"\(parts.replacing(" ", with: "T"))Z\">\(parts)</time>"
    }

    private static func civil(_ time: Timestamp) -> String {
        var seconds = time_t(time.split.seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    static func icon(_ kind: ItemKind) -> HTML {
        switch kind {
        case .folder: svg("M2 5a1 1 0 0 1 1-1h5l2 2h7a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z", "folder")
        case .file: svg("M5 2h6l4 4v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zm6 0v4h4", "file")
        case .symlink:
            svg("M8 12a3 3 0 0 1 0-4l2-2a3 3 0 0 1 4 4l-1 1M12 8a3 3 0 0 1 0 4l-2 2a3 3 0 0 1-4-4l1-1", "link")
        }
    }

    private static func svg(_ path: String, _ kind: String) -> HTML {
        "<svg class=\"icon \(kind)\" viewBox=\"0 0 20 20\" role=\"img\" aria-label=\"\(kind)\"><path d=\"\(path)\"/></svg>"
    }
}
