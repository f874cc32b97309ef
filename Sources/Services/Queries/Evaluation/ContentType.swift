/// The kind of document indicated by a name, as uniform type identifiers.
package enum ContentType {
    /// Returns an item's type, followed by the types to which it conforms.
    package static func tree(name: String, isFolder: Bool, isPackage: Bool, isLink: Bool) -> [String] {
        if isLink { return ["public.symlink", "public.item"] }
        if isPackage { return ["com.apple.package", "public.directory", "public.item"] }
        if isFolder { return ["public.folder", "public.directory", "public.item"] }
        let dot = name.lastIndex(of: ".")
        let ending = dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
        return (types[ending] ?? []) + ["public.data", "public.item", "public.content"]
    }

    private static let text = ["public.plain-text", "public.text"]
    private static let image = ["public.image"]
    private static let sound = ["public.audio", "public.audiovisual-content"]
    private static let film = ["public.movie", "public.audiovisual-content"]
    private static let source = ["public.source-code"] + text
    private static let archive = ["public.archive"]

    private static let types: [String: [String]] = [
        "txt": text, "text": text, "log": ["com.apple.log"] + text, "md": ["net.daringfireball.markdown"] + text,
        "csv": ["public.comma-separated-values-text"] + text, "html": ["public.html", "public.text"],
        "htm": ["public.html", "public.text"], "xml": ["public.xml", "public.text"],
        "json": ["public.json", "public.text"], "yaml": ["public.yaml", "public.text"],
        "swift": ["public.swift-source"] + source, "c": ["public.c-source"] + source,
        "h": ["public.c-header"] + source, "py": ["public.python-script"] + source,
        "sh": ["public.shell-script"] + source, "rtf": ["public.rtf", "public.text"],
        "pdf": ["com.adobe.pdf", "public.composite-content"],
        "doc": ["com.microsoft.word.doc", "public.composite-content"],
        "docx": ["org.openxmlformats.wordprocessingml.document", "public.composite-content"],
        "xlsx": ["org.openxmlformats.spreadsheetml.sheet", "public.spreadsheet"],
        "odt": ["org.oasis-open.opendocument.text", "public.composite-content"],
        "ods": ["org.oasis-open.opendocument.spreadsheet", "public.spreadsheet"],
        "jpg": ["public.jpeg"] + image, "jpeg": ["public.jpeg"] + image, "png": ["public.png"] + image,
        "gif": ["com.compuserve.gif"] + image, "heic": ["public.heic"] + image, "tiff": ["public.tiff"] + image,
        "svg": ["public.svg-image"] + image, "webp": ["org.webmproject.webp"] + image,
        "mp3": ["public.mp3"] + sound, "m4a": ["com.apple.m4a-audio"] + sound,
        "wav": ["com.microsoft.waveform-audio"] + sound,
        "flac": ["org.xiph.flac"] + sound, "mp4": ["public.mpeg-4"] + film, "mov": ["com.apple.quicktime-movie"] + film,
        "mkv": ["org.matroska.mkv"] + film, "zip": ["public.zip-archive"] + archive,
        "gz": ["org.gnu.gnu-zip-archive"] + archive, "tar": ["public.tar-archive"] + archive,
    ]
}
