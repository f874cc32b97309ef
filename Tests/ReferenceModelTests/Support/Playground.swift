import CLinux
import Foundation
import Glibc
import Synchronization
import TestSupport

/// Two devices and a disk for playing histories, each in new folders.
struct Playground: Sendable {
    let test: TestDevices
    private let disk: String
    private let count = Counter()

    var a: TestDevice { test.devices[0] }
    private var b: TestDevice? { test.devices.count > 1 ? test.devices[1] : nil }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    init(_ test: TestDevices) throws {
        self.test = test
        disk = try test.plain()
    }

    /// A bench shared with the calling thread.
    private final class Place: Sendable {
        let name: String
        let bench: Mutex<Bench>
        init(_ name: String, _ disk: String, _ mount: String) {
            self.name = name
            bench = Mutex(Bench(disk: disk, mount: mount))
        }
    }

    /// Plays a history in new folders and then removes the folders.
    func play(_ history: History) async throws -> Failure? {
        let name = "run\(count.next())"
        let (onDisk, inMount) = ("\(disk)/\(name)", "\(a.documents)/\(name)")
        for folder in [onDisk, inMount] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        let place = Place(name, onDisk, inMount)
        if let failure = try await play(history, in: place) { return failure }
        place.bench.withLock { $0.closeAll() }
        if let b {
            try await a.sync()
            let complaints = try await waitUntilSame(b, place)
            if !complaints.isEmpty { return Failure(index: history.steps.count - 1, complaints: complaints) }
        }
        for folder in [onDisk, inMount] { try FileManager.default.removeItem(atPath: folder) }
        return nil
    }

    /// Plays a few calls in a new folder, without checking the other device.
    func playBriefly(_ operations: [Operation]) async throws -> Failure? {
        let name = "brief\(count.next())"
        let folders = ["\(disk)/\(name)", "\(a.documents)/\(name)"]
        return try await onOwnThread {
            for folder in folders { mkdir(folder, 0o755) }
            var bench = Bench(disk: folders[0], mount: folders[1])
            let found = bench.play(operations)
            bench.closeAll()
            bench.removeAll()
            for folder in folders where rmdir(folder) != 0 {
                return Failure(index: operations.count - 1, complaints: ["\(folder) cannot be removed"])
            }
            return found.map { Failure(index: $0.index, complaints: $0.complaints) }
        }
    }

    private func play(_ history: History, in place: Place) async throws -> Failure? {
        var index = 0
        while index < history.steps.count {
            if case .disruption(let disruption) = history.steps[index] {
                let complaints = try await disrupt(disruption, place)
                if !complaints.isEmpty { return Failure(index: index, complaints: complaints) }
                index += 1
                continue
            }
            let calls = history.steps[index...].prefix { if case .call = $0 { true } else { false } }
                .compactMap { if case .call(let operation) = $0 { operation } else { nil } }
            let found = try await onOwnThread { place.bench.withLock { $0.play(calls) } }
            if let found { return Failure(index: index + found.index, complaints: found.complaints) }
            index += calls.count
        }
        return nil
    }

    /// Runs calls on a thread that may block. After 240 seconds, the daemons are killed, which unblocks the calls.
    func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async throws -> R {
        let watch = Task {
            try await Task.sleep(for: .seconds(240))
            for device in test.devices { device.daemon.send(SIGKILL) }
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    // MARK: Disruptions

    private func disrupt(_ disruption: History.Disruption, _ place: Place) async throws -> [String] {
        place.bench.withLock { $0.closeAll() }
        switch disruption {
        case .restart: try await a.restart()
        case .crash:
            try await a.kill9()
            try await a.start()
        case .eviction:
            try await a.sync()
            try await onOwnThread { place.bench.withLock { $0.evict() } }
        case .elsewhere(let operation): return try await perform(operation, elsewhere: place)
        }
        return try await onOwnThread {
            place.bench.withLock { bench in
                bench.look { $0.expectUntouched(sinceMount: $2) }
            }
        }
    }

    private func perform(_ operation: Operation, elsewhere place: Place) async throws -> [String] {
        guard let b else { return [] }
        place.bench.withLock { $0.removeLocal() }
        try await a.sync()
        let complaints = try await waitUntilSame(b, place)
        guard complaints.isEmpty else { return complaints }
        let root = "\(b.documents)/\(place.name)"
        let (onDisk, there) = try await onOwnThread {
            place.bench.withLock { bench -> (Outcome, Outcome) in
                var side = Side(root: root)
                return (bench.disk.perform(operation), side.perform(operation))
            }
        }
        guard onDisk == there else { return ["it returns \(onDisk) on the disk, \(there) on the other device"] }
        try await b.sync()
        return try await waitUntilSame(a, place)
    }

    /// Waits until a device shows the same as the disk, apart from items that stay on A, and returns the remaining
    /// differences.
    private func waitUntilSame(_ device: TestDevice, _ place: Place) async throws -> [String] {
        let root = "\(device.documents)/\(place.name)"
        let isOrigin = device.name == a.name
        let last = Mutex<[String]>([])
        do {
            try await eventually("\(device.name) shows what the disk has", within: .seconds(20)) {
                let complaints = try await onOwnThread {
                    place.bench.withLock { bench -> [String] in
                        if isOrigin { return bench.look() }
                        let disk = Snapshot(of: bench.disk.root).withoutLocal
                        return Comparison(disk: disk, mount: Snapshot(of: root)).differences
                    }
                }
                last.withLock { $0 = complaints }
                return complaints.isEmpty
            }
        } catch {
            return ["device \(device.name) never shows what the disk has"] + last.withLock { $0 }
        }
        return []
    }
}
