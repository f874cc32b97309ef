import CloudServer
import S3Client
import ServerStorage

extension ServerPlace {
    /// - Throws: ``Failure`` for an unparsable address.
    init(_ place: PlaceSettings.Place) throws {
        switch place {
        case .directory(let directory): self.init(directory: directory)
        case .cluster(let database, let chunks, let cache):
            do {
                try self.init(
                    directory: cache, database: PostgresAddress(database), chunks: S3Location(parsing: chunks))
            } catch let error as StorageError {
                throw Failure(error.message)
            } catch let error as S3ConfigurationError { throw Failure("\(error)") }
        }
    }
}
