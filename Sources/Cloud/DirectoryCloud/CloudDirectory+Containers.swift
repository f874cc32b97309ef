import Basics
import CloudModel
import CloudStorage
import Glibc

extension CloudDirectory {
    func containers() throws(CloudError) -> [ContainerName] {
        try perform(.reading) { directory in
            try directory.names(in: CloudLayout.containers).compactMap { ContainerName($0) }.sorted()
        }
    }

    /// Creates the container completely before naming it: no device ever sees half a container.
    func createContainer(_ name: ContainerName) throws(CloudError) {
        try perform(.writing) { directory in
            if try !directory.isPresent(CloudLayout.log(name)) {
                try withTemporaryFolder(in: directory, ["log", "chunks"]) { path in
                    do throws(PathError) {
                        try directory.rename(path, to: CloudLayout.container(name))
                    } catch  where [EEXIST, ENOTEMPTY].contains(error.code) {
                        // A concurrent device was faster. Its container is as good.
                    }
                }
            }
            // Synced even if the container existed: its creator may not have done so yet.
            try directory.syncFolder(CloudLayout.containers)
        }
    }

    func space() throws(CloudError) -> CloudSpace {
        try perform(.reading) { directory in
            var info = statvfs()
            try directory.at("", "statvfs") { fstatvfs(directory.raw, &info) }
            let unit = UInt64(info.f_frsize)
            return CloudSpace(
                total: UInt64(info.f_blocks).saturatingProduct(unit),
                free: UInt64(info.f_bavail).saturatingProduct(unit))
        }
    }
}
