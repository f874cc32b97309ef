/// The pattern of `LIKE`: `*` stands for any text, `?` for a single character, and a backslash escapes them.
struct Wildcard: Hashable, Sendable {
    private enum Piece: Hashable, Sendable {
        case scalar(UInt32)
        case any
        case run
    }

    private let pieces: [Piece]

    init(_ pattern: String, _ options: TextOptions) {
        var pieces: [Piece] = []
        var isEscaped = false
        // The signs are found after folding, which neither creates nor removes them.
        for scalar in FoldedText(pattern, options).scalars {
            if isEscaped {
                pieces.append(.scalar(scalar))
                isEscaped = false
            } else if scalar == 0x5C {
                isEscaped = true
            } else if scalar == 0x2A {
                if pieces.last != .run { pieces.append(.run) }
            } else {
                pieces.append(scalar == 0x3F ? .any : .scalar(scalar))
            }
        }
        if isEscaped { pieces.append(.scalar(0x5C)) }
        self.pieces = pieces
    }

    /// Takes time at most proportional to the product of both lengths: only the last run is ever retried.
    func matches(_ text: FoldedText) -> Bool {
        let scalars = text.scalars
        var (piece, position) = (0, 0)
        var retry: (piece: Int, position: Int)?
        while position < scalars.count {
            if piece < pieces.count, pieces[piece] == .run {
                retry = (piece, position)
                piece += 1
            } else if piece < pieces.count, pieces[piece] == .any || pieces[piece] == .scalar(scalars[position]) {
                piece += 1
                position += 1
            } else if let last = retry {
                retry = (last.piece, last.position + 1)
                (piece, position) = (last.piece + 1, last.position + 1)
            } else {
                return false
            }
        }
        return pieces[piece...].allSatisfy { $0 == .run }
    }
}
