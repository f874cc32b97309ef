import Faults

/// Opens a document again and again while others save it, and says how often that failed, or was torn.
enum Race {
    static func run(_ path: String, opens: Int) throws {
        var failures: [String: Int] = [:]
        var generations: Set<Int> = []
        for _ in 0..<opens {
            switch FolderLook.examine(path) {
            case .success(.whole(_, let generation)): generations.insert(generation)
            case .success(let other): failures["\(other)", default: 0] += 1
            case .failure(let failure): failures["\(failure)", default: 0] += 1
            }
        }
        print("opens \(opens) generations \(generations.count) failures \(failures.values.reduce(0, +)) \(failures)")
    }
}
