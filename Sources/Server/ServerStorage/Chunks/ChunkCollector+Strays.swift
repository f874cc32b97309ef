import Foundation
import Logging

/// Frames without a row. They are left by a crash between writing or removing a frame and its row; in a bucket also by
/// a put that was overtaken.
extension ChunkCollector {
    private static let step = 64

    /// Removes frames without a row to which no put under way can add one.
    func sweepStrays(
        _ containers: [Int64], _ pause: Duration, _ report: inout CollectionReport
    ) async throws {
        do {
            let mark = try await chunks.objects.beginSweep()
            var (removed, gaveWay) = (0, false)
            defer {
                report.strayFiles += removed
                report.gaveWay = report.gaveWay || gaveWay
            }
            try await chunks.objects.forEachName(in: containers, settledBefore: mark) { names in
                var strays = try await chunks.withoutRow(names)[...]
                while !strays.isEmpty {
                    guard let lock = try CopyLock.collecting(directory) else {
                        gaveWay = true
                        return false
                    }
                    defer { lock.release() }
                    removed += try await chunks.removeFrames(Array(strays.prefix(Self.step)))
                    strays = strays.dropFirst(Self.step)
                    try await Task.sleep(for: pause)
                }
                try Task.checkCancellation()
                return true
            }
        } catch let error where !Self.endsCollection(error) {
            log.warning("frames without a row were not removed", metadata: ["why": "\(error)"])
        }
    }
}
