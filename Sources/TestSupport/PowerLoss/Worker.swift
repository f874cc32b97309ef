import Basics
import CloudModel
import Foundation
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// The process working on the crash disk: a user, and the engine beside it. A second device, whose disk is safe, edits
/// separate documents. The process kills itself in the middle of its work, unless it is to close in order.
package struct Worker {
    /// The mounted crash disk.
    package var disk: String
    /// The folder of the record and the log, and of the second device's state.
    package var folder: String
    package var seed: UInt64
    /// The number of this process in the sequence of workers.
    package var session: Int
    package var steps: Int
    package var diesAtTheEnd: Bool

    package init(disk: String, folder: String, seed: UInt64, session: Int, steps: Int, diesAtTheEnd: Bool) {
        (self.disk, self.folder, self.seed) = (disk, folder, seed)
        (self.session, self.steps, self.diesAtTheEnd) = (session, steps, diesAtTheEnd)
    }

    package func run() async throws {
        let paths = RecordingPaths(folder: folder)
        let record = try WorkRecord(paths.record, log: paths.log)
        let changes = try WorkRecord.read(paths.record).compactMap { entry -> CloudChange? in
            if case .cloud(let change) = entry.event { change } else { nil }
        }
        let cloud = try await RecordedCloud(changes, record: record)
        let state = "\(disk)/state"
        for directory in [state, paths.elsewhere] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        let device = try PowerDevice(directory: state, id: DeviceID(1), cloud: cloud)
        let other = try PowerDevice(directory: paths.elsewhere, id: DeviceID(2), cloud: cloud)
        var user = WorkingUser(
            device: device, other: other, record: record, disk: disk,
            random: SeededGenerator(seed: seed &* 31 &+ UInt64(session)), next: session * 1_000_000)
        try user.lookAround()
        device.startEngine()
        other.startEngine()
        for step in 0..<steps {
            if diesAtTheEnd, step == steps - 3 { Self.dieSoon(seed) }
            try user.act()
            // From time to time the engine and the kernel get time to run between two steps.
            if step % 8 == 7 { try await Task.sleep(for: .milliseconds(30)) }
        }
        if diesAtTheEnd {
            kill(getpid(), SIGKILL)
        } else {
            try await other.close()
            try await device.close()
        }
    }

    /// Kills this process at a moment independent of its progress.
    private static func dieSoon(_ seed: UInt64) {
        Thread.detachNewThread {
            var pause = timespec(tv_sec: 0, tv_nsec: Int(seed % 20) * 1_000_000)
            clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nil)
            kill(getpid(), SIGKILL)
        }
    }
}

/// The files in the folder of a recording.
struct RecordingPaths {
    let folder: String

    var base: String { "\(folder)/base" }
    var image: String { "\(folder)/image" }
    var log: String { "\(folder)/log" }
    var record: String { "\(folder)/record" }
    /// The second device's state.
    var elsewhere: String { "\(folder)/elsewhere" }
    /// The folder serving the crash disk, and the mount folder of its ext4.
    var served: String { "\(folder)/served" }
    var mounted: String { "\(folder)/mounted" }
    var crashed: String { "\(folder)/crashed" }
}
