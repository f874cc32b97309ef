import Basics
package import CloudModel

/// The rules for attributes: each field is independent, within limits that bind hostile devices too.
extension ItemAttributes {
    /// The most bytes of the names and values of an item's extended attributes together; Linux's limit for a single
    /// value (xattr(7)).
    package static let maximumExtendedBytes = 65_536

    /// Whether a name has 1 to 255 bytes without NUL (XATTR_NAME_MAX).
    package static func isValidExtendedName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && !name.utf8.contains(0)
    }

    package var extendedBytes: Int { extended.reduce(0) { $0 + $1.key.utf8.count + $1.value.count } }

    mutating func apply(_ changes: AttributeChanges) {
        if let permissions = changes.permissions { self.permissions = permissions & 0o7777 }
        if let modified = changes.modified { self.modified = modified }
        for (name, value) in changes.extended where value == nil { extended[name] = nil }
        add(changes.extended.compactMapValues { $0 })
    }

    /// These attributes, cut to the limits.
    var limited: ItemAttributes {
        var result = self
        result.permissions &= 0o7777
        result.extended = [:]
        result.add(extended)
        return result
    }

    /// Adds attributes by name as long as they fit. The order decides which are left out, so it must not be the
    /// dictionary's.
    private mutating func add(_ values: [String: [UInt8]]) {
        var total = extendedBytes
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where Self.isValidExtendedName(name) {
            let old = extended[name].map { name.utf8.count + $0.count } ?? 0
            let sum = total - old + name.utf8.count + value.count
            guard sum <= Self.maximumExtendedBytes else { continue }
            extended[name] = value
            total = sum
        }
    }
}
