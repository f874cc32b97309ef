import Faults
import Glibc

/// A race between opening a document and saving it by rename.
///
/// `read` opens a document repeatedly while it is being saved by concurrent processes, and prints how often that failed
/// or the contents were torn.
enum Race {
    static func read(_ path: String, opens: Int, generations least: Int) {
        var failures: [String: Int] = [:]
        var generations: Set<Int> = []
        var count = 0
        while count < opens || generations.count < least {
            count += 1
            switch FolderLook.examine(path) {
            case .success(.whole(_, let generation)): generations.insert(generation)
            case .success(let other): failures["\(other)", default: 0] += 1
            case .failure(let failure): failures["\(failure)", default: 0] += 1
            }
        }
        print("opens \(count) generations \(generations.count) failures \(failures.values.reduce(0, +)) \(failures)")
    }

    /// Saves the document until the file `record`.stop exists, with a pause in microseconds after each save.
    static func save(_ record: String, _ folder: String, _ path: String, pause: UInt32) throws {
        let recorder = try Recorder(path: record)
        var generation = 1
        while access("\(record).stop", F_OK) != 0 {
            generation += 1
            try FaultOperation.replace(path: path, generation: generation).perform(in: folder, recorder: recorder)
            usleep(pause)
        }
    }
}
