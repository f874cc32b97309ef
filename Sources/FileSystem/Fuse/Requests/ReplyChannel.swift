/// The way by which a request arrived and its reply has to leave. A plain value, as ``RequestHandle`` is.
///
/// @unchecked: any thread may reply through an entry, once.
enum ReplyChannel: @unchecked Sendable {
    /// The request's descriptor; the kernel accepts the reply only there.
    case device(Int32)
    /// The entry holding the request until its reply is committed. It lives as long as the connection.
    case ring(Unmanaged<RingEntry>)
}
