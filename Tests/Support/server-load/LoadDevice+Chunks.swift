import Basics
import Chunking
import CloudModel
import CloudStorage

extension LoadDevice {
    /// The length in bytes of a device's chunks.
    private static let chunkLength = 16 << 10

    /// Puts `rate` chunks a second in sequence, each with unique bytes. A failed chunk is put again until it succeeds.
    func putChunks(rate: Double, until end: ContinuousClock.Instant) async {
        let start = ContinuousClock.now + .seconds(1 / rate) * Double.random(in: 0..<1)
        var number = 0
        while true {
            let due = start + .seconds(Double(number) / rate)
            guard due < end else { return }
            // Only cancellation ends the sleep early, and this task is not cancelled.
            try? await Task.sleep(until: due)
            await put(Self.plain(), due: due, until: end)
            number += 1
        }
    }

    private func put(_ plain: [UInt8], due: ContinuousClock.Instant, until end: ContinuousClock.Instant) async {
        let id = Digest.of(plain)
        while .now < end + LoadDevice.patience {
            do {
                try await backend.putChunk(id, frame: ChunkFrame.encode(plain), in: .cloudDocs)
                stored(id)
                figures.put(.now - due)
                return
            } catch {
                figures.failed()
                // As in `append`.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        figures.gaveUp()
    }

    private static func plain() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<chunkLength / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    }
}
