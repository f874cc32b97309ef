import CloudModel
import CloudStorage
import Glibc

extension CloudDirectory {
    /// Returns the header for a payload.
    func header(
        of payload: [UInt8], _ frame: ([UInt8]) throws(StoredFrame.Problem) -> StoredFrame
    ) throws(CloudError) -> [UInt8] {
        do throws(StoredFrame.Problem) { return try frame(payload).header } catch {
            throw CloudError(.failed, "\(payload.count) bytes exceed the limit for one file of the cloud at \(root).")
        }
    }

    /// Returns the frame and the payload of a file; nil if it does not exist.
    func readFrame(
        _ kind: StoredFrame.Kind, at path: String, in directory: Descriptor
    ) throws -> (frame: StoredFrame, payload: [UInt8])? {
        guard let file = try directory.openIfPresent(path, O_RDONLY) else { return nil }
        do {
            let size = Int64(try file.status().st_size)
            file.startReading(size)
            let frame = try StoredFrame(kind, header: file.read(StoredFrame.headerSize(of: kind)), fileSize: size)
            let payload = try file.read(Int(frame.length))
            try frame.verify(payload)
            return (frame, payload)
        } catch let problem as StoredFrame.Problem {
            throw CloudError(problem, in: "file \(root)/\(path)")
        }
    }

    /// Returns the digest of the log up to an entry, by its file's header; nil if there is no such entry.
    func digest(upTo number: UInt64, of container: ContainerName, in directory: Descriptor) throws -> Digest? {
        guard number > 0 else { return .zero }
        let path = CloudLayout.entry(container, number)
        guard let file = try directory.openIfPresent(path, O_RDONLY) else { return nil }
        do {
            let size = Int64(try file.status().st_size)
            let header = try file.read(StoredFrame.headerSize(of: .entry))
            return try StoredFrame(.entry, header: header, fileSize: size).digest
        } catch let problem as StoredFrame.Problem {
            throw CloudError(problem, in: "file \(root)/\(path)")
        }
    }
}
