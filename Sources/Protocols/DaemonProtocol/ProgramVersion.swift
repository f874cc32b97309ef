/// The version of the programs, as `--version` prints it and packages bear it.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
