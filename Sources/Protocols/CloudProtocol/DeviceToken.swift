import Basics

/// The bearer token sent by a device with every request: `ubq_NUMBER_SECRET`, with the device's number and 256 random
/// bits in hexadecimal. Scanners for leaked secrets recognise the prefix.
package struct DeviceToken: Hashable, Sendable {
    package let device: Int64
    /// 32 bytes.
    package let secret: [UInt8]

    package static func random(device: Int64, using generator: inout some RandomNumberGenerator) -> DeviceToken {
        DeviceToken(device: device, known: (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private init(device: Int64, known secret: [UInt8]) {
        self.device = device
        self.secret = secret
    }

    package init?(_ text: String) {
        guard text.utf8.count <= 128 else { return nil }
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "ubq", let device = Int64(parts[1]), device > 0,
            String(device) == parts[1], let secret = Hex.decode(parts[2]), secret.count == 32
        else { return nil }
        self.init(device: device, known: secret)
    }

    /// Parses an `Authorization` header field (RFC 6750, 2.1).
    package init?(authorization field: String) {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        self.init(String(parts[1]))
    }

    package var text: String { "ubq_\(device)_\(Hex.encode(secret))" }
}
