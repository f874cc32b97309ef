/// How long unnamed chunks stay on a server, to save devices from sending them again: an entry is stored only while all
/// its chunks exist (decision 90). The only definition of these times.
package enum UploadGrace {
    /// After the last query for a chunk. A server looks for such chunks often enough to remove those of an abandoned
    /// upload within the hour.
    package static let seconds: Int64 = 1_800
    /// How often a device queries again for the chunks of an ongoing upload. Several queries may be lost.
    package static let renewal = Duration.seconds(seconds / 3)
    /// The greatest age of a recorded query time, in seconds, so that not every query writes.
    package static let granularity: Int64 = seconds / 6
    /// How often a server looks for expired chunks.
    package static let look = Duration.seconds(seconds / 6)
    /// How long chunks stay, in seconds, while a matching document is announced: its device may be asleep.
    package static let announced: Int64 = 7 * 86_400
}
