package import CloudModel

extension LogPosition {
    /// Returns the position of the next entry: its digest is the SHA-256 of this position's digest and the entry's
    /// payload. The digest is unknown if this position's is.
    package func following(_ payload: [UInt8]) -> LogPosition {
        LogPosition(sequence.next, digest?.chained(payload))
    }
}

extension Digest {
    /// Returns the digest of a log with this digest after appending an entry.
    package func chained(_ payload: [UInt8]) -> Digest {
        var hash = SHA256()
        hash.update(bytes)
        hash.update(payload)
        guard let digest = Digest(hash.finish()) else { preconditionFailure("SHA-256 has 32 bytes") }
        return digest
    }
}
