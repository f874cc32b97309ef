import Basics

/// A failed call on a path; the path is relative to the cloud's directory.
struct PathError: Error {
    let path: String
    let errno: Basics.Errno

    var code: Int32 { errno.code }
}
