import Basics
import CloudModel
import LocalMetadata

/// Documents that left the log recently, by their names: a program that is slow to save creates a file there again.
///
/// Bounded, and in memory: a forgotten document stays in the list of deleted items.
struct RecentDepartures {
    private struct Departed {
        let item: ItemID
        let time: Timestamp
        let isDraft: Bool
    }

    private var departed: [DocumentPlace: Departed] = [:]
    private static let limit = 4_096

    /// - Parameter isDraft: Whether it was a program's temporary file; the next file of its name does not continue it.
    mutating func note(_ item: LocalItem, isDraft: Bool, at now: Timestamp) {
        if departed.count >= Self.limit {
            departed = departed.filter { isRecent($0.value, at: now) }
            if departed.count >= Self.limit { departed = [:] }
        }
        departed[DocumentPlace(of: item)] = Departed(item: item.item, time: now, isDraft: isDraft)
    }

    /// Returns the item that left this place shortly before `now`, and forgets it.
    mutating func take(_ place: DocumentPlace, at now: Timestamp) -> ItemID? {
        guard let found = departed.removeValue(forKey: place), isRecent(found, at: now), !found.isDraft else {
            return nil
        }
        return found.item
    }

    func wasDraft(at place: DocumentPlace) -> Bool { departed[place]?.isDraft ?? false }

    private func isRecent(_ departed: Departed, at now: Timestamp) -> Bool {
        departed.time.adding(VacatedPlace.saveTime) >= now
    }
}
