/// Runs work on another thread.
package typealias Background = @Sendable (@escaping @Sendable () -> Void) -> Void
