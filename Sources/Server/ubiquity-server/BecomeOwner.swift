import Glibc

/// Drops root's privileges in favour of the owner of a data directory.
///
/// The directory belongs to a service, which may have been compromised: as root, a command would follow links planted
/// by the service, and leave files inaccessible to it. Does nothing for non-root users, for a directory owned by root,
/// and for a missing directory.
func becomeOwner(of directory: String) throws {
    guard geteuid() == 0, let owner = owner(of: directory), owner.user != 0 else { return }
    guard setgroups(0, nil) == 0, setgid(owner.group) == 0, setuid(owner.user) == 0, geteuid() == owner.user else {
        throw Failure(
            "\(directory) belongs to user \(owner.user), whose privileges could not be taken: \(String(cString: strerror(errno)))."
        )
    }
}

/// Creates a folder for its owner, who then needs no permission in the parent folder. Does nothing if the folder
/// exists.
func createFolder(_ path: String, forOwnerOf directory: String) throws {
    guard geteuid() == 0, let owner = owner(of: directory), owner.user != 0, mkdir(path, 0o700) == 0 else { return }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    defer { close(descriptor) }
    guard descriptor >= 0, fchown(descriptor, owner.user, owner.group) == 0 else {
        throw Failure("\(path) could not be given to user \(owner.user): \(String(cString: strerror(errno))).")
    }
}

private func owner(of path: String) -> (user: uid_t, group: gid_t)? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return (information.st_uid, information.st_gid)
}
