/// The version of the programs, as in `--version` and in the names of packages.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
