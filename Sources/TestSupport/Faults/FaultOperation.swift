/// A program's operation on a document, with the call whose return acknowledges it. Paths are relative, without spaces.
package enum FaultOperation: Equatable, Sendable, CustomStringConvertible {
    /// Truncates and writes; done when `close` has returned.
    case write(path: String, generation: Int)
    /// The same; done when `fsync` has returned, before `close`.
    case sync(path: String, generation: Int)
    /// Writes a new file and renames it over the path; done when `rename` has returned.
    case replace(path: String, generation: Int)
    /// Adds a record to a journal; done when `close` has returned.
    case append(path: String, generation: Int)
    case move(from: String, to: String)
    case remove(path: String)

    /// The operation as in the lines of a record and in the arguments of the tool.
    package var description: String {
        switch self {
        case .write(let path, let generation): "write:\(path):\(generation)"
        case .sync(let path, let generation): "sync:\(path):\(generation)"
        case .replace(let path, let generation): "replace:\(path):\(generation)"
        case .append(let path, let generation): "append:\(path):\(generation)"
        case .move(let from, let to): "move:\(from):\(to)"
        case .remove(let path): "remove:\(path)"
        }
    }

    package init?(_ text: String) {
        let words = text.split(separator: ":").map(String.init)
        guard words.count >= 2 else { return nil }
        let path = words[1]
        switch (words[0], words.count > 2 ? words[2] : "") {
        case ("remove", ""): self = .remove(path: path)
        case ("move", let to): self = .move(from: path, to: to)
        case (let kind, let number):
            guard let generation = Int(number) else { return nil }
            switch kind {
            case "write": self = .write(path: path, generation: generation)
            case "sync": self = .sync(path: path, generation: generation)
            case "replace": self = .replace(path: path, generation: generation)
            case "append": self = .append(path: path, generation: generation)
            default: return nil
            }
        }
    }

    /// Returns the name in a document's bytes, which the document keeps when it moves: the last component of the path
    /// of its creation.
    package static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
