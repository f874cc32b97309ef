import Basics
import CLinux
import Glibc

/// Puts an immutable file at a second path: as a hard link, or as a copy of its bytes.
struct FileCopy {
    /// Whether to create hard links if the file system supports them; otherwise files are always copied.
    let mayLink: Bool

    enum Outcome { case copied, there, absent }

    /// Returns `absent` if there is no source file of that size. An existing file of that size at the target stays.
    func put(_ source: String, at target: String, size: Int) throws -> Outcome {
        guard fileSize(source) == size else { return .absent }
        guard fileSize(target) != size else { return .there }
        if mayLink {
            if link(source, target) == 0 { return .copied }
            guard [EXDEV, EPERM, EMLINK, EEXIST, ENOTSUP].contains(errno) else { throw Errno(errno, "link \(target)") }
        }
        let new = "\(target).new"
        unlink(new)
        try copyFile(source, to: new)
        try check("rename \(target)") { rename(new, target) }
        return .copied
    }
}

/// Returns the size of a file; nil if there is no file.
func fileSize(_ path: String) -> Int? {
    var information = stat()
    return lstat(path, &information) == 0 ? Int(information.st_size) : nil
}

/// Copies a file. Throws `EEXIST` if the target exists.
func copyFile(_ source: String, to target: String) throws(Errno) {
    let input = try check("open \(source)") { open(source, O_RDONLY | O_CLOEXEC) }
    defer { close(input) }
    let output = try check("open \(target)") { open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    defer { close(output) }
    // copy_file_range(2) copies in the kernel, and shares blocks where the file system can; it may copy only a part.
    while try copyPart(input, output) > 0 {}
}

private func copyPart(_ input: Int32, _ output: Int32) throws(Errno) -> Int {
    do throws(Errno) {
        return try check("copy_file_range") { linux_copy_file_range(input, nil, output, nil, 64 << 20) }
    } catch {
        guard [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(error.code) else { throw error }
    }
    return try check("sendfile") { sendfile(output, input, nil, 1 << 20) }
}

/// Creates a folder and its parents below `root`, which exists.
func makeFolders(_ path: Substring, below root: String) throws(Errno) {
    var folder = root
    for part in path.split(separator: "/") {
        folder += "/\(part)"
        guard mkdir(folder, 0o700) != 0 else { continue }
        guard errno == EEXIST else { throw Errno(errno, "mkdir \(folder)") }
    }
}

/// Makes the whole file system durable.
func syncAll(at path: String) throws(Errno) {
    let descriptor = try check("open \(path)") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(descriptor) }
    try check("syncfs") { syncfs(descriptor) }
}

/// Returns the names in a folder; none if there is no folder.
func fileNames(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = entry.name
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}
