import Glibc

/// The claim around this program, inherited through the environment as `PURPOSE:CLAIM`.
struct SurroundingClaim {
    private static let variable = "UBIQUITY_COORDINATION"

    let purpose: String
    /// The daemon's number of the claim.
    let claim: UInt64

    init(purpose: String, claim: UInt64) {
        self.purpose = purpose
        self.claim = claim
    }

    /// Returns the surrounding claim; nil if there is none, or if the value is invalid.
    static func current() -> SurroundingClaim? {
        guard let value = getenv(variable) else { return nil }
        let parts = String(cString: value).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...256).contains(parts[0].utf8.count), let claim = UInt64(parts[1]) else {
            return nil
        }
        return SurroundingClaim(purpose: String(parts[0]), claim: claim)
    }

    /// Returns a unique purpose.
    static func newPurpose() -> String {
        "coordinate-" + (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }.joined(separator: "-")
    }

    /// Exports the claim to programs started from now on.
    func export() { setenv(Self.variable, "\(purpose):\(claim)", 1) }
}
