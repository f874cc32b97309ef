public import Foundation

/// A file, a folder or a symbolic link in memory, for documents that are folders. Foundation has this class on Apple's
/// platforms only.
///
/// A read wrapper has all bytes in memory, whatever the options: a program may use it after its coordinated read has
/// ended, when another device may already have replaced the file.
///
/// Not thread-safe, like Apple's class.
open class FileWrapper: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Reads everything immediately. Always in effect.
        public static let immediate = ReadingOptions(rawValue: 1 << 0)
        /// Does not map files into memory. Always in effect: a program shortening a mapped file would end
        /// the reading program.
        public static let withoutMapping = ReadingOptions(rawValue: 1 << 1)
    }

    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Replaces the existing item atomically, or leaves it as it is.
        public static let atomic = WritingOptions(rawValue: 1 << 0)
        /// Sets ``FileWrapper/filename`` of the wrapper, and of the wrappers in it, to the written names.
        public static let withNameUpdating = WritingOptions(rawValue: 1 << 1)
    }

    enum Content {
        case file(Data)
        case folder([String: FileWrapper])
        case link(String)
    }

    var content: Content

    /// The wrapper's name in a folder, unless it is already taken.
    open var preferredFilename: String?
    /// The name under which the wrapper was last read or written.
    open var filename: String?
    /// The item's attributes of `FileManager` as last read. Writing sets its permissions only.
    open var fileAttributes: [String: Any] = [:]

    // MARK: Creating

    public init(regularFileWithContents contents: Data) { content = .file(contents) }

    /// - Parameter childrenByPreferredName: The folder's wrappers. A wrapper without a preferred filename gets its key.
    public init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
        content = .folder([:])
        super.init()
        for (name, child) in childrenByPreferredName.sorted(by: { $0.key < $1.key }) {
            if child.preferredFilename == nil { child.preferredFilename = name }
            addFileWrapper(child)
        }
    }

    /// - Parameter url: Written as it is: the destination of a relative URL is its relative path.
    public init(symbolicLinkWithDestinationURL url: URL) { content = .link(url.relativePath) }

    /// Reads a file, a folder with everything in it, or a symbolic link without following it.
    ///
    /// - Throws: Foundation's errors of reading, and `CocoaError.fileReadUnsupportedScheme` for a device, a socket
    ///   or a pipe.
    public init(url: URL, options: ReadingOptions = []) throws {
        content = .file(Data())
        super.init()
        try read(from: url, options: options)
    }

    // MARK: Kind

    open var isDirectory: Bool { if case .folder = content { true } else { false } }
    open var isRegularFile: Bool { if case .file = content { true } else { false } }
    open var isSymbolicLink: Bool { if case .link = content { true } else { false } }

    /// A file's bytes; nil for anything else.
    open var regularFileContents: Data? { if case .file(let bytes) = content { bytes } else { nil } }
    /// A symbolic link's destination; nil for anything else.
    open var symbolicLinkDestinationURL: URL? {
        if case .link(let path) = content { URL(fileURLWithPath: path) } else { nil }
    }
    /// A folder's wrappers by their names in it; nil for anything else.
    open var fileWrappers: [String: FileWrapper]? { if case .folder(let children) = content { children } else { nil } }

    // MARK: Changing a folder

    /// Adds a wrapper to a folder, under its preferred filename or, if that is taken, a name with a number.
    ///
    /// - Returns: The name, used as the wrapper's key in ``fileWrappers``; empty if this is no folder or the wrapper
    ///   has no preferred filename, in which cases nothing is added.
    @discardableResult
    open func addFileWrapper(_ child: FileWrapper) -> String {
        guard case .folder(var children) = content, let preferred = child.preferredFilename, !preferred.isEmpty
        else { return "" }
        var (key, number) = (preferred, 1)
        while children[key] != nil {
            number += 1
            key = "\(number)__#$!@%!#__\(preferred)"
        }
        children[key] = child
        content = .folder(children)
        return key
    }

    /// Adds a file to a folder, and returns its name.
    @discardableResult
    open func addRegularFile(withContents data: Data, preferredFilename fileName: String) -> String {
        let child = FileWrapper(regularFileWithContents: data)
        child.preferredFilename = fileName
        return addFileWrapper(child)
    }

    open func removeFileWrapper(_ child: FileWrapper) {
        guard case .folder(let children) = content else { return }
        content = .folder(children.filter { $0.value !== child })
    }

    /// Returns a wrapper's name in this folder.
    open func keyForChildFileWrapper(_ child: FileWrapper) -> String? {
        fileWrappers?.first { $0.value === child }?.key
    }
}
