import Basics
import Foundation
package import S3Client

/// A bucket of a real store, for tests that run on one too: `UBIQUITY_S3_URL` is its address, with credentials in the
/// usual variables. `make s3` sets them, and `UBIQUITY_S3_REQUIRED`, with which those tests fail instead of being
/// skipped.
package enum RealBucket {
    private static let environment = ProcessInfo.processInfo.environment
    private static let address = environment["UBIQUITY_S3_URL"]

    /// Whether the tests run.
    package static let isMeant = address != nil || environment["UBIQUITY_S3_REQUIRED"] != nil

    /// Returns a bucket prefix unique to a test.
    package static func place(named name: String) throws -> S3Location {
        guard let address else { throw NoBucket() }
        let base = try S3Location(parsing: address)
        let own = "\(name)-\(Hex.encode(UInt64.random(in: 0...UInt64.max)))"
        return try S3Location(
            bucket: base.bucket, prefix: base.prefix.isEmpty ? own : "\(base.prefix)/\(own)", endpoint: base.endpoint,
            region: base.region, addressing: base.addressing, isInsecure: base.isInsecure)
    }

    private struct NoBucket: Error, CustomStringConvertible {
        let description = "UBIQUITY_S3_REQUIRED is set, and UBIQUITY_S3_URL is not. Run the tests with `make s3`."
    }
}
