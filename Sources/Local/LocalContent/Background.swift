/// Runs work on a background thread.
package typealias Background = @Sendable (@escaping @Sendable () -> Void) -> Void
