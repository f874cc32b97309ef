/// The kinds of answer: the type of a request says which one it takes, so a lookup can not be answered with a count.
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
