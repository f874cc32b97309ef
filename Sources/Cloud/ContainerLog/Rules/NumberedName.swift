package import CloudModel

/// Numbers a taken name in the fold. The names are in the trees of existing logs, so a case never changes; names chosen
/// by a device come from ``ItemName/firstFree(where:)``, which may change.
package enum NumberedName: Sendable {
    case beforeExtension

    /// Returns the name with its number, such as `name 2.ext`.
    package func name(_ name: ItemName, _ number: Int) -> ItemName { inserting(" \(number)", into: name) }

    /// - Returns: The name with the suffix before its extension (with its dot, at most 32 bytes). The stem is cut at a
    ///   UTF-8 boundary so that the whole name fits 255 bytes.
    package func inserting(_ suffix: String, into name: ItemName) -> ItemName {
        let (stem, ending) = parts(of: name.bytes)
        var kept = stem.prefix(max(0, 255 - suffix.utf8.count - ending.count))
        if kept.count < stem.count {
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xC0 { kept.removeLast() }
        }
        let joined = Array(kept) + Array(suffix.utf8) + Array(ending)
        return (try? ItemName(bytes: joined.prefix(255))) ?? name
    }

    private func parts(of bytes: [UInt8]) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0, bytes.count - dot <= 32, dot < bytes.count - 1
        else { return (bytes[...], []) }
        return (bytes[..<dot], bytes[dot...])
    }
}
