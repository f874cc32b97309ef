import CloudModel

/// Decides the notifications to a progress subscriber, from the document's states. Pure.
struct TransferProgress {
    enum Direction: Equatable { case download, upload }

    struct Figures: Equatable {
        let direction: Direction
        /// In bytes.
        let completed: Int64
        let total: Int64
    }

    enum Action: Equatable {
        /// A transfer began.
        case publish(Figures)
        case update(Figures)
        /// The transfer ended; `isComplete` is false if it failed or was interrupted.
        case unpublish(isComplete: Bool)
    }

    private var current: Figures?

    /// - Parameter state: The document's current state; nil if there is no such document, or no daemon to ask.
    mutating func handle(_ state: DocumentState?) -> [Action] {
        let new = state.flatMap(Self.figures)
        guard let old = current else {
            current = new
            return new.map { [.publish($0)] } ?? []
        }
        current = new
        if let new, new.direction == old.direction, new.total == old.total { return new == old ? [] : [.update(new)] }
        let end = Action.unpublish(isComplete: state.map { Self.hasEnded(old.direction, $0) } ?? false)
        return [end] + (new.map { [.publish($0)] } ?? [])
    }

    private static func figures(_ state: DocumentState) -> Figures? {
        if state.isDownloading { return Figures(.download, state.percentDownloaded, of: state.size) }
        if state.isUploading { return Figures(.upload, state.percentUploaded, of: state.size) }
        return nil
    }

    private static func hasEnded(_ direction: Direction, _ state: DocumentState) -> Bool {
        switch direction {
        case .download: state.downloading == .current
        case .upload: state.isUploaded || state.percentUploaded >= 100
        }
    }
}

extension TransferProgress.Figures {
    init(_ direction: TransferProgress.Direction, _ percent: Double, of size: UInt64) {
        self.direction = direction
        total = Int64(clamping: size)
        let share = percent.isFinite ? min(max(percent / 100, 0), 1) : 0
        // A size near 2^63 as a floating-point number may be larger than every integer.
        completed = min(total, Int64(exactly: (Double(total) * share).rounded(.down)) ?? total)
    }
}
