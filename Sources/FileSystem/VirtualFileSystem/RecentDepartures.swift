import Basics
import CloudModel
import LocalMetadata

/// The documents that left the log a short time ago, by their names: a program that is slow to save creates a file there again.
///
/// Bounded, and in memory: a document that was forgotten stays in the list of deleted items.
struct RecentDepartures {
    private struct Departed {
        let item: ItemID
        let time: Timestamp
    }

    private var departed: [DocumentPlace: Departed] = [:]
    private static let limit = 4_096

    mutating func note(_ item: LocalItem, at now: Timestamp) {
        if departed.count >= Self.limit {
            departed = departed.filter { isRecent($0.value, at: now) }
            if departed.count >= Self.limit { departed = [:] }
        }
        departed[DocumentPlace(of: item)] = Departed(item: item.item, time: now)
    }

    /// Returns the item that left this place shortly before `now`, and forgets it.
    mutating func take(_ place: DocumentPlace, at now: Timestamp) -> ItemID? {
        guard let found = departed.removeValue(forKey: place), isRecent(found, at: now) else { return nil }
        return found.item
    }

    private func isRecent(_ departed: Departed, at now: Timestamp) -> Bool {
        departed.time.adding(VacatedPlace.saveTime) >= now
    }
}
