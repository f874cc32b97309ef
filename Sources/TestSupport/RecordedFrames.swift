/// Control socket frames from programs and daemons with protocol version 1.8, recorded with `strace`; only the daemon's
/// paths are changed. That version has no binary frames.
package enum RecordedFrames {
    package static let hello = frame(
        #"{"id":1,"request":{"hello":{"program":"presenter-tool","version":{"major":1,"minor":8}}}}"#)
    package static let claim = frame(
        #"{"id":2,"request":{"claim":{"accesses":[{"mode":"read","options":["withoutChanges"],"path":"CloudDocs/Documents/a"}],"#
            + #""purpose":"coordinator-2987E1DD-823F-4D65-89E3-05CB8A26C8D9-1"}}}"#)
    package static let quietFinish = frame(#"{"id":3,"request":{"finish":{"claim":2,"isQuiet":true}}}"#)

    package static let helloResponse = frame(
        #"{"id":1,"response":{"hello":{"mount":"/home/u/MobileDocuments","pid":32738,"state":"/home/u/state","#
            + #""version":{"major":1,"minor":8}}}}"#)
    package static let granted = frame(
        #"{"id":2,"response":{"granted":{"claim":2,"isWhole":true,"paths":["CloudDocs/Documents/a"]}}}"#)

    private static func frame(_ text: String) -> [UInt8] {
        withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian, Array.init) + text.utf8
    }
}
