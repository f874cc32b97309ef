import Foundation
import Synchronization
import Ubiquity

/// A program that coordinates, well or badly, for tests with processes of their own: says what happens, a line each.
///
/// `presenter-tool present FILE [deaf] [yields] [slow GO]`: shows FILE. `deaf` never answers; `yields` lets the bytes go; `slow` stays in the first news until the file GO is there.
/// `presenter-tool versions FILE`: walks through the history of FILE as a program would, puts its oldest version back and removes the others.
/// `presenter-tool crowd FOLDER COUNT`: shows COUNT files of FOLDER that need not exist.
/// `presenter-tool measure FILE COUNT`: COUNT coordinated reads of FILE; says the median in microseconds, and how many a second.
/// `presenter-tool echo`: sends back what comes on the socket that is its standard input. `presenter-tool bounce COUNT`: sends there and waits
/// for it to come back, COUNT times; says what `measure` does. No conversation of two processes is faster.
/// `presenter-tool sync FILE ACTION …`: pauses, uploads and the like, one after the other; see `SyncActions`.
/// `presenter-tool find FOLDER [ITEM]`: the names of what is in FOLDER, or of ITEM if it is in there.
/// `presenter-tool hold read|write FILE GO`: stays in an accessor until the file GO is there.
@main
struct PresenterTool {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "present": try present(arguments)
        case "hold": try hold(arguments)
        case "versions": try versions(URL(filePath: arguments[2]))
        case "sync": try await SyncActions(url: URL(filePath: arguments[2])).run(arguments.dropFirst(3))
        case "find": find(URL(filePath: arguments[2]), arguments.dropFirst(3))
        case "crowd": crowd(arguments)
        case "measure": try measure(arguments)
        case "echo": echo()
        case "bounce": bounce(Int(arguments[2]) ?? 0)
        default: throw CocoaError(.featureUnsupported)
        }
    }

    static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private static func present(_ arguments: [String]) throws {
        let go = arguments.firstIndex(of: "slow").map { arguments[$0 + 1] }
        let witness = Witness(
            URL(filePath: arguments[2]), isDeaf: arguments.contains("deaf"), yields: arguments.contains("yields"),
            go: go)
        NSFileCoordinator.addFilePresenter(witness)
        say("presenting")
        while readLine() != nil {}
        NSFileCoordinator.removeFilePresenter(witness)
    }

    private static func crowd(_ arguments: [String]) {
        let folder = URL(filePath: arguments[2])
        let crowd = (0..<(Int(arguments[3]) ?? 0)).map { number in
            Witness(folder.appending(path: "crowd \(getpid()) \(number)"), isDeaf: false, yields: false, go: nil)
        }
        for witness in crowd { NSFileCoordinator.addFilePresenter(witness) }
        say("presenting \(crowd.count)")
        while readLine() != nil {}
    }

    private static func measure(_ arguments: [String]) throws {
        let url = URL(filePath: arguments[2])
        let clock = ContinuousClock()
        var times: [Duration] = []
        let start = clock.now
        for _ in 0..<(Int(arguments[3]) ?? 0) {
            var error: NSError?
            var isRead = false
            let began = clock.now
            NSFileCoordinator().coordinate(readingItemAt: url, options: .withoutChanges, error: &error) { _ in
                isRead = true
            }
            times.append(clock.now - began)
            guard isRead else { throw error ?? NSError(domain: "presenter-tool", code: 1) }
        }
        say(times, in: clock.now - start)
    }

    private static func say(_ times: [Duration], in whole: Duration) {
        let rate = Double(times.count) / (whole / .seconds(1))
        say("median \(times.sorted()[times.count / 2] / .microseconds(1)) us, \(Int(rate)) a second")
    }

    private static func echo() {
        var buffer = [UInt8](repeating: 0, count: 256)
        while case let count = recv(0, &buffer, buffer.count, 0), count > 0 { send(0, buffer, count, 0) }
    }

    private static func bounce(_ count: Int) {
        let clock = ContinuousClock()
        // As long as a request for a claim.
        var message = [UInt8](repeating: 1, count: 200)
        var times: [Duration] = []
        let start = clock.now
        for _ in 0..<count {
            let began = clock.now
            send(0, message, message.count, 0)
            guard recv(0, &message, message.count, Int32(MSG_WAITALL)) == message.count else { return }
            times.append(clock.now - began)
        }
        say(times, in: clock.now - start)
    }

    private static func hold(_ arguments: [String]) throws {
        var error: NSError?
        let url = URL(filePath: arguments[3])
        let accessor = { (url: URL) in
            say("held \(url.lastPathComponent)")
            wait(for: arguments[4])
        }
        if arguments[2] == "read" {
            NSFileCoordinator().coordinate(readingItemAt: url, error: &error, byAccessor: accessor)
        } else {
            NSFileCoordinator().coordinate(writingItemAt: url, error: &error, byAccessor: accessor)
        }
        say(error.map { "error \($0.code)" } ?? "done")
    }

    private static func versions(_ url: URL) throws {
        guard let current = NSFileVersion.currentVersionOfItem(at: url) else { throw CocoaError(.fileNoSuchFile) }
        say("current of \(current.localizedNameOfSavingComputer ?? "nobody")")
        let distant = try nonlocal(url)
        say("\(NSFileVersion.otherVersionsOfItem(at: url)?.count ?? -1) here, \(distant.count) in the cloud")
        guard let oldest = distant.last else { return }
        var error: NSError?
        NSFileCoordinator().coordinate(readingItemAt: oldest.url, error: &error) { found in
            say("read \((try? String(contentsOf: found, encoding: .utf8)) ?? "nothing")")
        }
        say("\(NSFileVersion.otherVersionsOfItem(at: url)?.count ?? -1) here, \(try nonlocal(url).count) in the cloud")
        let again = NSFileVersion.version(itemAt: url, forPersistentIdentifier: oldest.persistentIdentifier)
        say(
            "\(again?.hasLocalContents == true ? "found" : "lost"), \(again?.isDiscardable == true ? "discardable" : "kept")"
        )
        NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing, error: &error) { target in
            do { try oldest.replaceItem(at: target) } catch { say("not replaced: \(error)") }
        }
        say("now \(try String(contentsOf: url, encoding: .utf8))")
        try NSFileVersion.removeOtherVersionsOfItem(at: url)
        say("\(NSFileVersion.otherVersionsOfItem(at: url)?.count ?? -1) here")
        if let error { say("error \(error)") }
    }

    private static func find(_ folder: URL, _ items: ArraySlice<String>) {
        let query = NSMetadataQuery()
        let (names, gathered) = (Names(), DispatchSemaphore(value: 0))
        query.searchScopes = [folder]
        if !items.isEmpty { query.searchItems = items.map { URL(filePath: $0) } }
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        query.operationQueue = OperationQueue()
        query.delegate = names
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering, object: query, queue: nil
        ) { _ in gathered.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        guard query.start() else { return say("not started: \(query.failure?.localizedDescription ?? "no mount")") }
        gathered.wait()
        query.enumerateResults { name, _, _ in say("\(name)") }
        query.stop()
    }

    private static func nonlocal(_ url: URL) throws -> [NSFileVersion] {
        let done = DispatchSemaphore(value: 0)
        let box = Answer()
        NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
            box.value.withLock { $0 = error.map { .failure($0) } ?? .success(versions ?? []) }
            done.signal()
        }
        done.wait()
        return try box.value.withLock { $0 }?.get() ?? []
    }

    /// Until the file is there: the test says by it when to go on.
    static func wait(for file: String) {
        while !FileManager.default.fileExists(atPath: file) { poll(nil, 0, 20) }
    }
}

/// What a handler was called with.
private final class Answer: Sendable {
    let value = Mutex<Result<[NSFileVersion], any Error>?>(nil)
}

/// Shows items of queries by their names.
private final class Names: NSMetadataQueryDelegate {
    func metadataQuery(_ query: NSMetadataQuery, replacementObjectForResultObject result: NSMetadataItem) -> Any {
        result.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "nameless"
    }
}

/// Says what it is sent.
// What changes is behind a Mutex.
private final class Witness: NSObject, NSFilePresenter, @unchecked Sendable {
    let presentedItemOperationQueue = OperationQueue()
    private let url: Mutex<URL?>
    private let isDeaf: Bool
    private let yields: Bool
    private let go: String?

    init(_ url: URL, isDeaf: Bool, yields: Bool, go: String?) {
        self.url = Mutex(url)
        self.isDeaf = isDeaf
        self.yields = yields
        self.go = go
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url.withLock { $0 } }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        PresenterTool.say("reader")
        if !isDeaf { reader { PresenterTool.say("back") } }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        PresenterTool.say("writer")
        if !isDeaf { writer { PresenterTool.say("back") } }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterTool.say("save")
        completionHandler(nil)
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterTool.say("deletion")
        completionHandler(nil)
    }

    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        PresenterTool.say("eviction")
        completionHandler(yields ? nil : CocoaError(.fileLocking))
    }

    func presentedItemDidMove(to newURL: URL) {
        url.withLock { $0 = newURL }
        PresenterTool.say("moved \(newURL.lastPathComponent)")
    }

    func presentedItemDidChange() {
        PresenterTool.say("changed")
        if let go { PresenterTool.wait(for: go) }
    }

    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        for name in attributes.map(\.rawValue).sorted() { PresenterTool.say("attribute \(name)") }
    }

    func presentedItemDidLose(_ version: NSFileVersion) {
        PresenterTool.say("lost \(version.persistentIdentifier)")
    }

    func presentedItemDidGain(_ version: NSFileVersion) {
        PresenterTool.say("gained a version of \(version.localizedNameOfSavingComputer ?? "nobody")")
    }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        PresenterTool.say(version.isResolved ? "resolved" : "not resolved")
    }
    func presentedSubitemDidAppear(at url: URL) { PresenterTool.say("appeared \(url.lastPathComponent)") }
    func presentedSubitemDidChange(at url: URL) { PresenterTool.say("subitem \(url.lastPathComponent)") }
    func presentedSubitem(at old: URL, didMoveTo new: URL) {
        PresenterTool.say("moved \(old.lastPathComponent) to \(new.lastPathComponent)")
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        PresenterTool.say("deletion \(url.lastPathComponent)")
        completionHandler(nil)
    }
}
