import Chunking

/// Decides which pieces travel together: small ones many at once, for each request costs a cloud that is far away as much as their bytes.
/// Pure.
struct PieceGroups {
    /// Bytes of a piece that is small, before it is compressed, and what a group of such has at most: little enough that a link that
    /// breaks costs little.
    static let smallBytes = 64 << 10
    static let groupBytes = 512 << 10
    static let groupPieces = 128

    private(set) var groups: [[UploadPiece]] = []

    /// Without `together` each piece goes alone: a cloud that is near takes several at once.
    init(_ pieces: [UploadPiece], together: Bool) {
        guard together else {
            groups = pieces.map { [$0] }
            return
        }
        var group: [UploadPiece] = []
        var bytes = 0
        for piece in pieces {
            // The length of a list of chunks is not known here, and may be large.
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
