import Glibc

/// The descriptors inherited from the parent process.
package enum InheritedDescriptors {
    /// Opens /dev/null for closed standard descriptors: a file opened later would get such a number, and printed text
    /// would be written to it.
    package static func completeStandard() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is used: this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Closes all but the standard descriptors and `kept`: a lock or a pipe of the parent process would last as long as
    /// this one. Call it first; a descriptor that closes on exec was opened by this process.
    package static func closeOthers(but kept: Int32?) {
        for descriptor in numbers where descriptor > STDERR_FILENO && descriptor != kept {
            let flags = fcntl(descriptor, F_GETFD)
            if flags >= 0, flags & FD_CLOEXEC == 0 { close(descriptor) }
        }
    }

    /// Marks all but the standard descriptors, so that the next program does not inherit them.
    package static func closeOthersOnExec() {
        for descriptor in numbers where descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    private static var numbers: [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var result: [Int32] = []
        while let entry = readdir(folder) { if let number = Int32(entry.name) { result.append(number) } }
        return result
    }
}
