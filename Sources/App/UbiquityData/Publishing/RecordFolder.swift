import Basics
import CLinux
import CloudModel
import Foundation
import Glibc
import Records

/// A folder in a container's data area with the files of all devices: `DATABASE/DEVICE/NUMBER.rows`. Each device writes
/// only below its own name, so that files cannot conflict.
struct RecordFolder: RecordSource, RecordOutlet {
    private static let ending = ".rows"

    let path: String
    let store: ItemID
    let device: DeviceID
    /// Returns a file's version in the log; nil while it is missing there.
    let version: @Sendable (String) throws -> VersionID?
    /// Returns how far a container's log was read (``RecordSource/followed()``), for an existing path in it.
    let readEnd: @Sendable (String) throws -> LogSequence?

    init(
        path: String, store: ItemID, device: DeviceID,
        version: @escaping @Sendable (String) throws -> VersionID? = RecordFolder.attribute,
        readEnd: @escaping @Sendable (String) throws -> LogSequence? = RecordFolder.followedAttribute
    ) {
        (self.path, self.store, self.device) = (path, store, device)
        (self.version, self.readEnd) = (version, readEnd)
    }

    func folder(of device: DeviceID) -> String { "\(path)/\(store)/\(device)" }

    private func path(of number: UInt64, _ device: DeviceID) -> String {
        "\(folder(of: device))/\(Self.digits(number))\(Self.ending)"
    }

    static func digits(_ number: UInt64) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }

    // MARK: Writing

    func write(_ bytes: [UInt8], number: UInt64) throws {
        try write(bytes, to: path(of: number, device), limit: RecordFile.maximumBytes)
    }

    /// Maximum number of write attempts before the failure is thrown.
    private static let attempts = 10

    func write(_ bytes: [UInt8], to file: String, limit: Int) throws {
        try createDirectories(folder(of: device))
        for attempt in 1...Self.attempts {
            if FileManager.default.fileExists(atPath: file) {
                guard try contents(of: file, limit: limit) == bytes else {
                    throw UbiquitousDatabaseError.numberTaken(file: file)
                }
                return
            }
            // The temporary file's name keeps it on this device. Another process may be writing the same file.
            let temporary = "\(file).\(Hex.encode(UInt64.random(in: 0...UInt64.max))).tmp"
            do {
                try DurableFile(file, temporary: temporary).replace(with: bytes)
                return removeLeftovers()
            } catch {
                // Another process has finished this file or a different one, and mistaken this unfinished file
                // for a leftover.
                let isDisturbed = error.code == ENOENT || FileManager.default.fileExists(atPath: file)
                guard isDisturbed, attempt < Self.attempts else { throw error }
            }
        }
    }

    func isInBaseline(_ number: UInt64) throws -> Bool {
        guard !FileManager.default.fileExists(atPath: path(of: number, device)) else { return false }
        return try baselines().contains { baseline in
            try RecordBaseline(decoding: read(nil, of: baseline.name)).files[device] ?? 0 >= number
        }
    }

    /// Removes leftovers of dead processes, once a file is in its place. Anything left over is removed next time.
    private func removeLeftovers() {
        let own = folder(of: device)
        for name in (try? names(in: own)) ?? [] where name.hasSuffix(".tmp") {
            try? FileManager.default.removeItem(atPath: "\(own)/\(name)")
        }
    }

    // MARK: Reading

    /// Lists twice: files appear in log order, so at the end of the first listing, each file up to its highest version
    /// exists, and the second listing finds it, even in a folder the first had already passed.
    func files(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place] {
        let first = try list(after: folded)
        guard let last = first.map(\.version).max() else { return [] }
        return try list(after: folded).filter { $0.version <= last }
    }

    private func list(after folded: [DeviceID: UInt64]) throws -> [RecordFileOrder.Place] {
        var files: [RecordFileOrder.Place] = []
        for device in try devices() {
            for (number, file) in try numbers(of: device) where number > folded[device] ?? 0 {
                guard let version = try version(file) else { continue }
                files.append(RecordFileOrder.Place(device: device, number: number, version: version))
            }
        }
        return files
    }

    /// Returns the devices with folders.
    func devices() throws -> [DeviceID] {
        try names(in: "\(path)/\(store)").compactMap { name in
            UInt64(name, radix: 16).map { DeviceID($0) }.flatMap { $0.description == name ? $0 : nil }
        }
    }

    /// Returns the numbers of a device's transaction files, with their paths.
    func numbers(of device: DeviceID) throws -> [(UInt64, String)] {
        try names(in: folder(of: device)).compactMap { name in
            guard name.hasSuffix(Self.ending), let number = UInt64(name.dropLast(Self.ending.count)) else { return nil }
            let file = path(of: number, device)
            return file.hasSuffix("/\(name)") ? (number, file) : nil
        }
    }

    // MARK: A log that went back

    func followed() throws -> LogSequence? {
        var place = path
        // If the log no longer has the database, its folder is missing; the container's folder exists.
        while !FileManager.default.fileExists(atPath: place), let slash = place.lastIndex(of: "/"),
            slash > place.startIndex
        {
            place = String(place[..<slash])
        }
        return try readEnd(place)
    }

    func versions(of files: [RecordFileOrder.Place]) throws -> [DeviceID: VersionID]? {
        guard FileManager.default.fileExists(atPath: "\(path)/\(store)") else { return nil }
        var versions: [DeviceID: VersionID] = [:]
        for file in files { versions[file.device] = try version(path(of: file.number, file.device)) }
        return versions
    }

    /// Returns when a device wrote a file; nil if the file is missing.
    func written(_ number: UInt64, by device: DeviceID) -> Timestamp? {
        // An inaccessible file has no time to show.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(of: number, device))
        return (attributes?[.modificationDate] as? Date).map {
            Timestamp(seconds: Int64($0.timeIntervalSince1970), nanoseconds: 0)
        }
    }

    func hasLost(_ number: UInt64) throws -> Bool {
        // Files in the log may not have arrived.
        guard !FileManager.default.fileExists(atPath: path(of: number, device)) else { return false }
        return try followed() != nil
    }

    func names(in folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    func read(_ file: RecordFileOrder.Place) throws -> [UInt8] {
        try contents(of: path(of: file.number, file.device), limit: RecordFile.maximumBytes)
    }

    func contents(of file: String, limit: Int) throws -> [UInt8] {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        guard let size = attributes[.size] as? UInt64, size <= UInt64(limit) else {
            throw RecordFileError.damaged("\(file) is too large")
        }
        return Array(try Data(contentsOf: URL(filePath: file)))
    }

    /// Returns the value of `user.ubiquity.version`, set by a mount for each document in the cloud.
    @Sendable static func attribute(_ file: String) throws -> VersionID? {
        try text("user.ubiquity.version", of: file).flatMap { VersionID($0) }
    }

    /// Returns the value of `user.ubiquity.followed`.
    @Sendable static func followedAttribute(_ file: String) throws -> LogSequence? {
        do {
            return try text("user.ubiquity.followed", of: file).flatMap { UInt64($0) }.map { LogSequence($0) }
        } catch UbiquitousDatabaseError.noMount {
            // Publishing or reading there reports it.
            return nil
        }
    }

    private static func text(_ attribute: String, of file: String) throws -> String? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = getxattr(file, attribute, &bytes, bytes.count)
        guard count >= 0 else {
            switch errno {
            case ENODATA, ENOENT: return nil
            case EOPNOTSUPP: throw UbiquitousDatabaseError.noMount(path: file)
            case let code: throw Errno(code, "getxattr \(file)")
            }
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
