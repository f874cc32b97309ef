/// Derives the expected findings from the acknowledged operations. Each writer keeps its record in a separate file:
///
///     begin write:a:3      the operation is about to be requested
///     done write:a:3       the operation was acknowledged
///     failed write:a:3 5   an error was returned, with its number: the operation may have happened or not
///     uploaded a 3         the status of the document reported that the cloud has this generation
package struct OperationLedger: Sendable {
    package struct Expectation: Sendable {
        /// The content after the last acknowledgement; nil if there is no file.
        package var known: Content?
        /// Operations begun since that acknowledgement and not acknowledged.
        package var open: [FaultOperation] = []
    }

    package struct Content: Equatable, Sendable {
        package let name: String
        package let generation: Int
    }

    /// The expectations by path.
    package private(set) var expectations: [String: Expectation] = [:]
    /// The newest generation reported as uploaded.
    package internal(set) var uploaded: [String: Int] = [:]
    /// Paths ever requested to be removed.
    private var removed: Set<String> = []
    /// The newest generation whose write in place was begun.
    private var overwritten: [String: Int] = [:]
    package private(set) var acknowledged = 0
    /// The number of operations begun and not acknowledged.
    package private(set) var unacknowledged = 0

    package init() {}

    /// Adds a writer's lines; writers share no path.
    package mutating func add(record: String) {
        var open: FaultOperation?
        for line in record.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch words.first {
            case "begin":
                open = words.count > 1 ? FaultOperation(String(words[1])) : nil
                if let open { noteBegin(open) }
            case "done": if let action = open { acknowledge(action); open = nil }
            case "failed": if let action = open { unacknowledged += 1; leaveOpen(action); open = nil }
            case "uploaded":
                if words.count > 2, let generation = Int(words[2]) {
                    uploaded[String(words[1])] = max(uploaded[String(words[1])] ?? 0, generation)
                }
            default: break
            }
        }
        if let open { unacknowledged += 1; leaveOpen(open) }
    }

    private mutating func noteBegin(_ action: FaultOperation) {
        switch action {
        case .remove(let path): removed.insert(path)
        case .write(let path, let generation), .sync(let path, let generation), .append(let path, let generation):
            overwritten[path] = generation
        case .replace, .move: break
        }
    }

    private mutating func acknowledge(_ action: FaultOperation) {
        acknowledged += 1
        switch action {
        case .write(let path, let generation), .sync(let path, let generation), .replace(let path, let generation):
            expectations[path] = Expectation(
                known: Content(name: FaultOperation.name(of: path), generation: generation))
        case .append(let path, let generation):
            expectations[path] = Expectation(
                known: Content(name: FaultOperation.name(of: path), generation: generation))
        case .move(let from, let to):
            expectations[to] = Expectation(known: expectations[from]?.known)
            expectations[from] = Expectation()
        case .remove(let path): expectations[path] = Expectation()
        }
    }

    private mutating func leaveOpen(_ action: FaultOperation) {
        switch action {
        case .write(let path, _), .sync(let path, _), .replace(let path, _), .append(let path, _), .remove(let path):
            expectations[path, default: Expectation()].open.append(action)
        case .move(let from, let to):
            expectations[from, default: Expectation()].open.append(action)
            expectations[to, default: Expectation()].open.append(action)
        }
    }

    /// Returns the problems of the files found, and settles the open operations on those files.
    package mutating func settle(_ found: [String: Document.Finding]) -> [String] {
        let before = expectations
        var violations: [String] = []
        for (path, expectation) in before {
            let finding = found[path] ?? .absent
            guard allowed(path, expectation, before).contains(where: { $0(finding) }) else {
                violations.append(
                    "\(path) is \(finding), known \(String(describing: expectation.known)), open \(expectation.open)")
                continue
            }
            violations += halves(expectation, found, before)
            settle(path, finding)
        }
        for (path, finding) in found where before[path] == nil && finding == .torn {
            violations.append("\(path) is \(finding), and no writer wrote it")
        }
        return violations.sorted()
    }

    /// Checks an unacknowledged move: it has happened or not, and in neither case is its document lost or duplicated.
    private func halves(
        _ expectation: Expectation, _ found: [String: Document.Finding], _ all: [String: Expectation]
    ) -> [String] {
        expectation.open.compactMap { action in
            guard case .move(let from, let to) = action, all[from]?.open.count == 1, all[to]?.open.count == 1 else {
                return nil
            }
            let moved = Self.finding(all[from]?.known)
            let isDone = found[to, default: .absent] == moved
            return isDone == (found[from, default: .absent] == .absent) ? nil : "\(action) was done by halves"
        }
    }

    private mutating func settle(_ path: String, _ finding: Document.Finding) {
        switch finding {
        case .whole(let name, let generation):
            expectations[path] = Expectation(known: Content(name: name, generation: generation))
        case .absent: expectations[path] = Expectation()
        // An unfinished write may leave a prefix, which is not checked again.
        case .cut, .empty, .torn: expectations[path] = nil
        }
    }

    private typealias Rule = (Document.Finding) -> Bool

    private func allowed(_ path: String, _ expectation: Expectation, _ all: [String: Expectation]) -> [Rule] {
        var rules: [Rule] = [{ $0 == Self.finding(expectation.known) }]
        for action in expectation.open {
            switch action {
            case .write(_, let generation), .sync(_, let generation):
                rules.append { $0 == .empty || Self.isBeginning($0, FaultOperation.name(of: path), generation) }
            case .append(_, let generation):
                rules.append { $0 == .empty || Self.isBeginning($0, FaultOperation.name(of: path), generation) }
            case .replace(_, let generation): rules.append { $0 == .whole(FaultOperation.name(of: path), generation) }
            case .remove: rules.append { $0 == .absent }
            case .move(let from, let to):
                let other = all[path == to ? from : to]?.known
                rules.append { $0 == (path == to ? Self.finding(other) : .absent) }
            }
        }
        return rules
    }

    private static func finding(_ content: Content?) -> Document.Finding {
        content.map { .whole($0.name, $0.generation) } ?? .absent
    }

    private static func isBeginning(_ finding: Document.Finding, _ name: String, _ generation: Int) -> Bool {
        finding == .cut(name, generation) || finding == .whole(name, generation)
    }

    /// Returns documents reported as uploaded but missing or older on another device.
    package func missing(in found: [String: Document.Finding]) -> [String] {
        uploaded.compactMap { path, generation in
            // The second device may have folded the removal and not yet the changes after it.
            guard !removed.contains(path) else { return nil }
            switch found[path] {
            case .whole(_, let there)? where there >= generation: return nil
            // A program took long between truncating and closing, and the state in between was uploaded.
            case .empty?, .cut?: if overwritten[path] ?? 0 > generation { return nil }
            default: break
            }
            return "\(path) was reported as uploaded with generation \(generation), and is \(found[path] ?? .absent)"
        }.sorted()
    }
}

extension OperationLedger {
    /// Records that everything known was reported as uploaded.
    package mutating func noteUploaded() {
        for (path, expectation) in expectations {
            if expectation.open.isEmpty, let known = expectation.known { uploaded[path] = known.generation }
        }
    }
}
