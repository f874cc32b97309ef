import Glibc

/// The core files of this process and of its children.
package enum CoreFiles {
    /// Forbids core files, as they would contain documents, keys and tokens. `prlimit --core=unlimited --pid PID`
    /// allows them again.
    package static func forbid() {
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = 0
        setrlimit(resource, &limit)
    }
}
