/// Why a manager cannot carry out a request. Nothing was changed.
public enum UbiquitousDatabaseManagerError: Error, Hashable, CustomStringConvertible {
    case badTitle(String)
    case titleTaken(String)
    case notFound(title: String)
    /// Another process, or a document of this process, has it open.
    case inUse(title: String)
    case moving(title: String)
    /// This device's copy is not complete.
    case building(title: String)
    /// The device is signed out, or nothing is mounted.
    case unreachable
    /// The cloud does not have the database.
    case missing(title: String)
    /// Another process of this device is moving or removing databases.
    case busy
    /// A copy differs from its original. The original stays.
    case copyDiffers(title: String, what: String)
    case damagedState(path: String)

    public var description: String {
        switch self {
        case .badTitle(let title):
            "“\(title)” cannot be the title of a database. Begin with a letter or a digit, and use at most "
                + "\(PackageName.maximumBytes) bytes without “/” and “_UUID_”."
        case .titleTaken(let title): "A database of this device has the title \(title). Take another one."
        case .notFound(let title): "There is no database \(title) on this device. List the databases again."
        case .inUse(let title): "The database \(title) is open in another program or process. Close it there first."
        case .moving(let title):
            "The database \(title) is being moved. It can be opened when that is done; if it leaves the cloud, the cloud has "
                + "to be reachable."
        case .building(let title):
            "The database \(title) is not complete on this device yet. It can be opened when all of its files have arrived."
        case .unreachable: "The cloud cannot be reached: nothing is mounted, or the device is signed out."
        case .missing(let title):
            "The cloud does not have the database \(title) now, so it cannot be rebuilt from there."
        case .busy: "Another process is moving or removing databases of this device. Repeat the call later."
        case .copyDiffers(let title, let what):
            "The copy of the database \(title) differs from it (\(what)) and was removed. The database is as it was."
        case .damagedState(let path):
            "\(path) cannot be read. The databases beside it are not affected. Remove the file; the preference about the "
                + "cloud is then asked for again."
        }
    }
}
