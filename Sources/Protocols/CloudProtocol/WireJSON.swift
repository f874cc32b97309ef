import Basics
import Foundation

/// Encodes and decodes the JSON bodies of the protocol (RFC 8259), with sorted keys.
package enum WireJSON {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(value))
    }

    /// Decodes a body and ignores unknown fields.
    ///
    /// - Throws: ``CloudFailure`` with `invalidRequest`.
    package static func decode<T: Decodable>(_ type: T.Type = T.self, from bytes: [UInt8]) throws(CloudFailure) -> T {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            let problem = (error as? DecodingError)?.plainMessage ?? "it is not as expected"
            throw CloudFailure(.invalidRequest, "The body is not the expected JSON object: \(problem).")
        }
    }
}
