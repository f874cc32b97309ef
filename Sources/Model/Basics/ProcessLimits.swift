import Glibc

/// Limits of the system that a long-lived process inherits from the shell or service that starts it.
package enum ProcessLimits {
    /// Raises the soft limits to the hard ones (setrlimit(2)) and makes a too large file an error of its write: a
    /// document may be larger than the shell's limit of files, and the processor time of a long-lived process reaches
    /// every limit. Limits of descriptors are up to the caller.
    package static func raise() {
        for resource in [RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_AS, __RLIMIT_NPROC] {
            let resource = __rlimit_resource_t(resource.rawValue)
            var limit = rlimit()
            guard getrlimit(resource, &limit) == 0 else { continue }
            limit.rlim_cur = limit.rlim_max
            // A refusal leaves the limit as it was.
            _ = setrlimit(resource, &limit)
        }
        signal(SIGXFSZ, SIG_IGN)
    }
}
