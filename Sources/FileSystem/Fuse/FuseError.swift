/// Why a mount could not be created, served or ended: what happened, to what, and what to do.
package struct FuseError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// /dev/fuse is missing, or may not be opened.
        case device
        /// `fusermount3` is missing or may not mount.
        case helper
        /// The mount point does not exist or is not a folder.
        case mountPoint
        /// Something is already mounted there.
        case alreadyMounted
        /// Programs are using the mount.
        case busy
        case notPermitted
        /// libfuse or the kernel refused the session.
        case library
        case thread
        /// Any other kernel error.
        case system
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
