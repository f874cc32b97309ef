import CloudModel
import ServerConsole

/// Headers controlling how a browser treats a content: its type, and the name to save it under (RFC 6266, RFC 8187).
enum ContentDisposition {
    static func field(_ name: ItemName, isInline: Bool) -> String {
        let text = Shown.text(name)
        let plain = text.unicodeScalars.map { isPlain($0) ? Character($0) : "_" }
        return "\(isInline ? "inline" : "attachment"); filename=\"\(String(plain))\"; filename*=UTF-8''\(encoded(text))"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.value >= 0x20 && scalar != "\"" && scalar != "\\" && scalar != "%"
            && scalar.value != 0x7F
    }

    /// Leaves `attr-char` of RFC 8187, 3.2.1, unchanged and percent-encodes all remaining bytes.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            isAttributeCharacter(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$&+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// The media type of a content, by the extension of its name; an unknown extension means plain bytes.
enum MediaType {
    static func of(_ name: ItemName) -> String {
        let ending = String(decoding: name.stemAndExtension.extension.dropFirst(), as: UTF8.self).lowercased()
        return known[ending] ?? "application/octet-stream"
    }

    /// Whether a browser may show the content under the server's origin, in a sandbox: nothing containing programs. A
    /// PDF is excluded, because browsers show none in a sandbox.
    static func isPassive(_ type: String) -> Bool {
        type.hasPrefix("text/plain") || type.hasPrefix("audio/")
            || type.hasPrefix("video/")
            || (type.hasPrefix("image/") && type != "image/svg+xml")
    }

    /// Returns how a page may show the content itself; nil if it only offers it for download.
    static func preview(of name: ItemName) -> LinkPages.Preview? {
        let type = of(name)
        guard isPassive(type) else { return nil }
        switch type.prefix(6) {
        case "image/": return .image
        case "audio/": return .audio
        case "video/": return .video
        default: return .text
        }
    }

    private static let known = [
        "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "bz2": "application/x-bzip2", "c": text,
        "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8",
        "doc": "application/msword", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "h": text,
        "heic": "image/heic", "heif": "image/heif", "html": "text/html; charset=utf-8",
        "htm": "text/html; charset=utf-8",
        "ico": "image/vnd.microsoft.icon", "ics": "text/calendar; charset=utf-8", "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "log": text, "m4a": "audio/mp4",
        "m4v": "video/mp4", "md": "text/markdown; charset=utf-8", "mkv": "video/x-matroska", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/opus", "pdf": "application/pdf",
        "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "py": text,
        "rtf": "application/rtf", "sh": text, "svg": "image/svg+xml", "swift": text, "tar": "application/x-tar",
        "text": text, "tif": "image/tiff", "tiff": "image/tiff", "toml": text, "txt": text,
        "vcf": "text/vcard; charset=utf-8", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
        "xls": "application/vnd.ms-excel", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml", "xz": "application/x-xz", "yaml": text, "yml": text, "zip": "application/zip",
        "zst": "application/zstd", "7z": "application/x-7z-compressed",
    ]

    private static let text = "text/plain; charset=utf-8"
}
