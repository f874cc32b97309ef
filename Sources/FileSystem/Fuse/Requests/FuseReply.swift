/// The kinds of reply: a request's type determines its kind, so a reply to a lookup cannot be a count.
package enum FuseReply {
    /// Success without a value.
    package enum Done {}
    package enum Entry {}
    package enum Created {}
    package enum Attributes {}
    package enum Link {}
    package enum Opened {}
    package enum Data {}
    package enum Count {}
    package enum Statistics {}
    package enum ExtendedAttribute {}
    package enum Offset {}
    package enum Directory {}
    package enum DirectoryPlus {}
}
