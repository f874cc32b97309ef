/// How long chunks that nothing names stay on a server, which only saves devices from sending them again: an entry is stored only while all its
/// chunks are there (decision 90). The one place for these times.
package enum UploadGrace {
    /// After the last question about a chunk. A server looks for such chunks so often that those of an upload that was given up go within
    /// the hour.
    package static let seconds: Int64 = 1_800
    /// How often a device asks again about the chunks of an upload that is under way. Several questions may be lost.
    package static let renewal = Duration.seconds(seconds / 3)
    /// How old the recorded time of the last question may be, in seconds, so that not every question writes.
    package static let granularity: Int64 = seconds / 6
    /// How often a server looks for chunks whose time is over.
    package static let look = Duration.seconds(seconds / 6)
    /// How long chunks stay, in seconds, while a document is announced that still fits: its device may be asleep.
    package static let announced: Int64 = 7 * 86_400
}
