import Glibc

/// Lists a folder and reads files as a whole.
package enum FolderLook {
    /// Examines a file's bytes; fails with an error number if the file cannot be read.
    package static func examine(_ path: String) -> Result<Document.Finding, Failure> {
        read(path).map(Document.examine).flatMapError { $0.code == ENOENT ? .success(.absent) : .failure($0) }
    }

    package static func read(_ path: String) -> Result<[UInt8], Failure> {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .failure(Failure(call: "open", code: errno)) }
        defer { close(file) }
        var bytes: [UInt8] = []
        return withUnsafeTemporaryAllocation(byteCount: 1 << 17, alignment: 1) { buffer in
            while true {
                let count = Glibc.read(file, buffer.baseAddress, buffer.count)
                if count < 0 { return .failure(Failure(call: "read", code: errno)) }
                if count == 0 { return .success(bytes) }
                bytes.append(contentsOf: buffer[..<count])
            }
        }
    }

    /// Returns the names in a folder. Throws if the folder cannot be listed.
    package static func names(_ folder: String) throws(Failure) -> [String] {
        guard let stream = opendir(folder) else { throw Failure(call: "opendir \(folder)", code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw Failure(call: "readdir \(folder)", code: errno) }
        return names.sorted()
    }
}

extension Document.Finding {
    /// The finding as a word for each part, for output to another process.
    package var words: String {
        switch self {
        case .absent: "absent"
        case .empty: "empty"
        case .whole(let name, let generation): "whole \(name) \(generation)"
        case .cut(let name, let generation): "cut \(name) \(generation)"
        case .torn: "torn"
        }
    }

    package init?(words: String) {
        let parts = words.split(separator: " ").map(String.init)
        switch (parts.first, parts.count > 2 ? Int(parts[2]) : nil) {
        case ("absent", _): self = .absent
        case ("empty", _): self = .empty
        case ("torn", _): self = .torn
        case ("whole", let generation?): self = .whole(parts[1], generation)
        case ("cut", let generation?): self = .cut(parts[1], generation)
        default: return nil
        }
    }
}
