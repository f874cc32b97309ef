import Foundation

extension CoordinationFailure {
    /// Returns a Cocoa error with the path and the reason.
    func cocoa(_ wanted: [WantedItem]) -> NSError {
        let isReading = wanted.contains { if case .reading = $0.purpose { true } else { false } }
        let code: CocoaError.Code =
            switch self.code {
            case .cancelled: .userCancelled
            case .gone: isReading ? .fileReadNoSuchFile : .fileNoSuchFile
            case .deadlock, .busy: .fileLocking
            case .unavailable: .ubiquitousFileUnavailable
            case .disconnected, .failed: isReading ? .fileReadUnknown : .fileWriteUnknown
            }
        return Self.error(code, message, at: wanted.first?.url)
    }

    static func error(_ code: CocoaError.Code, _ message: String, at url: URL?) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let url {
            info[NSURLErrorKey] = url
            info[NSFilePathErrorKey] = url.path
        }
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: info)
    }
}
