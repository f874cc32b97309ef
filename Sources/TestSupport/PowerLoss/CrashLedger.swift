/// Derives the possible findings after a power cut at a log position from the steps begun and acknowledged before it.
struct CrashLedger {
    /// A name's possible contents.
    struct Possible: Equatable {
        /// Contents by number; nil stands for no such file.
        var contents: Set<Int?> = [nil]
        /// Whether the name may show anything, because it was being written or has not been synced since.
        var isAnything = false
    }

    private(set) var names: [String: Possible] = [:]
    /// Synced contents neither replaced nor removed: each must be found under at least one name.
    private(set) var kept: Set<Int> = []
    /// The contents last seen by programs, by name.
    private var current: [String: Int] = [:]
    /// Names with unsynced bytes.
    private var unsynced: Set<String> = []
    /// Former names of a file that it may regain, because its renames are not durable: a write to the file may show
    /// under them.
    private var former: [String: Set<String>] = [:]
    private var begun: Step?

    init(_ entries: some Sequence<WorkRecord.Entry>, before position: Int) {
        for entry in entries where entry.position <= position { note(entry.event) }
    }

    private mutating func note(_ event: WorkEvent) {
        switch event {
        case .found(let found): begin(with: found)
        case .begins(let step):
            begun = step
            suppose(step)
        case .done:
            if let step = begun.take() { settle(step) }
        case .refused: begun = nil
        case .cloud, .elsewhere: break
        }
    }

    /// Handles the start of a process that found these contents. The step during which the previous process died may
    /// have happened or not.
    private mutating func begin(with found: [String: Int]) {
        begun = nil
        for name in Set(found.keys).union(names.keys) {
            let content = found[name]
            guard content != WorkingUser.evicted, content != current[name] else { continue }
            current[name] = content
            names[name, default: Possible()].contents.insert(content)
            if content == 0 { names[name]?.isAnything = true }
            if content != nil { unsynced.insert(name) }
        }
        let visible = Set(current.values)
        kept.formIntersection(visible)
    }

    /// Records that from now on the step may have happened.
    private mutating func suppose(_ step: Step) {
        switch step {
        case .write(let name, let content), .save(let name, let content):
            replace(name)
            for name in former[name, default: []].union([name]) {
                names[name, default: Possible()].contents.insert(content)
                names[name]?.isAnything = true
            }
        case .rename(let from, let to) where from != to:
            guard let content = current[from] else { return }
            replace(to)
            names[to, default: Possible()].contents.insert(content)
            if unsynced.contains(from) || names[from]?.isAnything == true { names[to]?.isAnything = true }
            names[from, default: Possible()].contents.insert(nil)
            former[to] = former[from, default: []].union([from])
        case .remove(let name):
            replace(name)
            names[name, default: Possible()].contents.insert(nil)
        case .sync, .syncFolder, .evict, .rename: break
        }
    }

    /// Records that the name's current content is no longer required.
    private mutating func replace(_ name: String) {
        if let old = current[name] { kept.remove(old) }
    }

    private mutating func settle(_ step: Step) {
        switch step {
        case .write(let name, let content):
            current[name] = content
            unsynced.insert(name)
        case .save(let name, let content):
            current[name] = content
            synced(name)
        case .sync(let name): synced(name)
        case .rename(let from, let to) where from != to:
            current[to] = current.removeValue(forKey: from)
            if unsynced.remove(from) != nil { unsynced.insert(to) } else { unsynced.remove(to) }
        case .remove(let name):
            current[name] = nil
            unsynced.remove(name)
        case .syncFolder: for name in names.keys { folderSynced(name) }
        case .evict, .rename: break
        }
    }

    private mutating func synced(_ name: String) {
        guard let content = current[name] else { return }
        unsynced.remove(name)
        former[name] = nil
        names[name] = Possible(contents: [content])
        kept.insert(content)
    }

    /// Records that the names are durable, and so is everything synced before.
    private mutating func folderSynced(_ name: String) {
        let isOpen = unsynced.contains(name)
        former[name] = nil
        names[name] = Possible(contents: [current[name]], isAnything: isOpen)
    }

    /// Returns the problems if these names show these contents; 0 stands for a content that was never written.
    func problems(showing shown: [String: Int]) -> [String] {
        var found: [String] = []
        for (name, possible) in names {
            let content = shown[name]
            if possible.contents.contains(content) { continue }
            if possible.isAnything, content != nil { continue }
            found.append("\(name) shows \(Self.text(content)), not one of \(possible.contents.map(Self.text).sorted())")
        }
        for name in shown.keys where names[name] == nil { found.append("\(name) was never made") }
        let visible = Set(shown.values)
        found += kept.subtracting(visible).sorted().map { "content \($0) was synced and is nowhere" }
        return found.sorted()
    }

    private static func text(_ content: Int?) -> String {
        content.map { $0 == 0 ? "a torn content" : "content \($0)" } ?? "nothing"
    }
}
