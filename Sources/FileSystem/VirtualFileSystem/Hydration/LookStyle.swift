/// How a program reads the first bytes of a document to find out its type, if the name does not show it.
package enum LookStyle: Hashable, Sendable {
    /// Like other documents.
    case unknown
    /// As GLib (`get_content_type` in glocalfileinfo.c): opens the document with `O_NOATIME`, and reads once,
    /// ``shortSize`` bytes. It guesses from as many as it gets.
    case short
    /// As KDE (`QMimeDatabase`): opens it like any other document, and reads until it has 16 KiB. Only the drawing
    /// thread does so; separately named threads copy (`KIO::WorkerThread`).
    case long

    package static let shortSize: UInt64 = 4096

    /// - Parameter verdict: The program's download verdict; a user's rule applies to looks, too.
    package init(_ facts: ProcessFacts, _ verdict: HydrationPolicy.Verdict) {
        if facts.usesGLib {
            self = .short
        } else if verdict.reason == .ordinary, FileManagers.ofKDE.contains(facts.program.name) {
            self = .long
        } else {
            self = .unknown
        }
    }
}
