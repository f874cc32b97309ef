/// The source of the time of day for a component; tests pass a manual clock.
package protocol TimeSource: Sendable {
    func now() -> Timestamp
}
