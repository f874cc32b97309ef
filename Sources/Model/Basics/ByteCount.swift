/// A byte count entered and read by people.
package struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let bytes: UInt64

    package init(_ bytes: UInt64) { self.bytes = bytes }

    /// Reads `500`, `64K`, `1.5G`, `10GiB` (powers of 1024) and `10kB`, `10GB` (powers of 1000); nil for anything else.
    package init?(_ text: String) {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(number.count).drop { $0 == " " }.lowercased()
        guard let value = Double(number), value >= 0, let factor = Self.factor(ofUnit: unit) else { return nil }
        let product = (value * factor).rounded()
        guard product < 0x1p63 else { return nil }
        bytes = UInt64(product)
    }

    private static func factor(ofUnit unit: String) -> Double? {
        if unit.isEmpty || unit == "b" { return 1 }
        guard let letter = unit.first, let place = "kmgtp".firstIndex(of: letter) else { return nil }
        let power = "kmgtp".distance(from: "kmgtp".startIndex, to: place) + 1
        let base: Double
        switch unit.dropFirst() {
        case "", "ib": base = 1024
        case "b": base = 1000
        default: return nil
        }
        return (0..<power).reduce(1) { product, _ in product * base }
    }

    /// The number with at most three digits: `0 B`, `999 B`, `1.2 MiB`, `12 GiB`.
    package var description: String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var value = Double(bytes)
        var index = 0
        while value >= 999.5, index < units.count - 1 {
            value /= 1024
            index += 1
        }
        let tenths = Int((value * 10).rounded())
        let number = index == 0 || tenths >= 100 ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)"
        return "\(number) \(units[index])"
    }

    package static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}
