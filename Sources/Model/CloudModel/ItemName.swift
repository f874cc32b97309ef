/// A file name as typed: 1 to 255 bytes without `/` and NUL, not `.` or `..`; any encoding, UTF-8 in practice.
package struct ItemName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package enum Problem: Error, Equatable {
        case empty
        case reserved
        case tooLong
        case forbiddenByte
    }

    /// NAME_MAX of Linux, in bytes.
    package static let maximumLength = 255

    package init(bytes: some Collection<UInt8>) throws(Problem) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        let array = Array(bytes)
        guard !array.contains(0), !array.contains(UInt8(ascii: "/")) else { throw .forbiddenByte }
        guard array != [0x2E], array != [0x2E, 0x2E] else { throw .reserved }
        self.bytes = array
    }

    package init(_ text: String) throws(Problem) { try self.init(bytes: Array(text.utf8)) }

    /// The name as text; bytes that are not UTF-8 show as U+FFFD.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (left: ItemName, right: ItemName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The stem and the extension (with its dot), as needed for `name 2.ext`: `a.tar.gz` is `a.tar` + `.gz`, `.bashrc`
    /// has no extension.
    package var stemAndExtension: (stem: ArraySlice<UInt8>, extension: ArraySlice<UInt8>) {
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0, bytes.count - dot <= 32, dot < bytes.count - 1
        else { return (bytes[...], []) }
        return (bytes[..<dot], bytes[dot...])
    }

    /// Returns this name with `suffix` between stem and extension; truncates the stem (at a UTF-8 boundary) so that the result fits 255
    /// bytes.
    package func inserting(_ suffix: String) -> ItemName {
        let (stem, ending) = stemAndExtension
        var kept = stem.prefix(max(0, Self.maximumLength - suffix.utf8.count - ending.count))
        if kept.count < stem.count {
            // Removes an incomplete character at the cut.
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xC0 { kept.removeLast() }
        }
        let joined = Array(kept) + Array(suffix.utf8) + Array(ending)
        guard let name = try? ItemName(bytes: joined.prefix(Self.maximumLength)) else { return self }
        return name
    }

    /// Returns the name with a number, such as `name 2.ext` for 2.
    package func numbered(_ number: Int) -> ItemName { inserting(" \(number)") }

    /// Returns the first free name of `name 2.ext`, `name 3.ext`…, if this name is taken. Terminates, because a folder
    /// has finitely many items.
    ///
    /// For names chosen by a device or a server. The fold has its own numbering, which cannot change (`NumberedName`).
    package func firstFree(where isTaken: (ItemName) throws -> Bool) rethrows -> ItemName {
        var number = 2
        while try isTaken(numbered(number)) { number += 1 }
        return numbered(number)
    }
}
