import Basics
import CloudModel
import ServerStorage
import Synchronization

/// Recent transfers of devices, for the console. Bounded: when it is full, entries without recent transfers are
/// removed.
final class TransferBoard: Sendable {
    struct Key: Hashable {
        let account: AccountID
        let device: Int64
        let container: ContainerName
        let isUpload: Bool
    }

    struct Entry: Hashable {
        let key: Key
        let bytes: UInt64
        let last: Timestamp
    }

    /// The bytes of the last minute, by the second of their transfer.
    private struct Track {
        var seconds: [Int64: UInt64] = [:]
        var last: Timestamp
    }

    private static let window: Int64 = 60
    private static let maximumTracks = 4_096
    private let tracks = Mutex<[Key: Track]>([:])
    private let time: any TimeSource

    init(time: any TimeSource = SystemTime()) { self.time = time }

    func note(_ bytes: Int, _ key: Key) {
        let now = time.now()
        let second = now.split.seconds
        tracks.withLock { tracks in
            if tracks.count >= Self.maximumTracks { Self.removeQuiet(&tracks, at: second) }
            guard tracks.count < Self.maximumTracks || tracks[key] != nil else { return }
            var track = tracks[key] ?? Track(last: now)
            track.seconds[second, default: 0] += UInt64(bytes)
            track.last = now
            if track.seconds.count > Int(Self.window) + 5 {
                track.seconds = track.seconds.filter { Self.isRecent($0.key, second) }
            }
            tracks[key] = track
        }
    }

    /// Returns the transfers of the last minute, newest first.
    func entries(of account: AccountID) -> [Entry] {
        let second = time.now().split.seconds
        return tracks.withLock { tracks in
            tracks.filter { $0.key.account == account }.compactMap { key, track in
                let bytes = track.seconds.filter { Self.isRecent($0.key, second) }.values.reduce(0, +)
                return bytes > 0 ? Entry(key: key, bytes: bytes, last: track.last) : nil
            }
        }.sorted { $0.last > $1.last }
    }

    private static func removeQuiet(_ tracks: inout [Key: Track], at second: Int64) {
        tracks = tracks.filter { isRecent($0.value.last.split.seconds, second) }
    }

    /// Whether a second is within the window. The difference is absolute, so nothing stays forever after a clock was
    /// set back.
    private static func isRecent(_ second: Int64, _ now: Int64) -> Bool { abs(now - second) <= window }
}
