import Chunking

/// Decides which pieces share a request: small pieces many at a time, because on a distant cloud a request costs as
/// much as its bytes. Pure.
struct PieceGroups {
    /// The maximum size of a small piece before compression, and the limits of a group of such pieces: low enough that
    /// a broken connection loses little.
    static let smallBytes = 64 << 10
    static let groupBytes = 512 << 10
    static let groupPieces = 128

    private(set) var groups: [[UploadPiece]] = []

    /// Without `together` each piece is sent alone: a nearby cloud accepts several requests in parallel.
    init(_ pieces: [UploadPiece], together: Bool) {
        guard together else {
            groups = pieces.map { [$0] }
            return
        }
        var group: [UploadPiece] = []
        var bytes = 0
        for piece in pieces {
            // The length of a manifest is not known here, and may be large.
            guard piece.entry.length > 0, piece.entry.length <= Self.smallBytes else {
                groups.append([piece])
                continue
            }
            if group.count == Self.groupPieces || bytes + piece.entry.length > Self.groupBytes {
                groups.append(group)
                (group, bytes) = ([], 0)
            }
            group.append(piece)
            bytes += piece.entry.length
        }
        if !group.isEmpty { groups.append(group) }
    }
}
