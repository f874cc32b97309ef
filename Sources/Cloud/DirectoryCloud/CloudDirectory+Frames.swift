import CloudStorage
import Glibc

extension CloudDirectory {
    /// Returns the header that precedes a payload.
    func header(_ kind: StoredFrame.Kind, of payload: [UInt8]) throws(CloudError) -> [UInt8] {
        do throws(StoredFrame.Problem) { return try StoredFrame(kind, of: payload).header } catch {
            throw CloudError(.failed, "\(payload.count) bytes exceed the limit for one file of the cloud at \(root).")
        }
    }

    /// Returns the payload of a file with a ``StoredFrame``; nil if there is no such file.
    func readFrame(_ kind: StoredFrame.Kind, at path: String, in directory: Descriptor) throws -> [UInt8]? {
        guard let file = try directory.openIfPresent(path, O_RDONLY) else { return nil }
        do {
            let size = Int64(try file.status().st_size)
            file.startReading(size)
            let frame = try StoredFrame(kind, header: file.read(StoredFrame.headerSize), fileSize: size)
            let payload = try file.read(Int(frame.length))
            try frame.verify(payload)
            return payload
        } catch let problem as StoredFrame.Problem {
            throw CloudError(problem, in: "file \(root)/\(path)")
        }
    }
}
