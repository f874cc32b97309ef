import Glibc
package import Testing

extension Trait where Self == ConditionTrait {
    /// A test that mounts, or acts as several users. A person without root goes without it; CI (the variable `CI` is set) runs it all
    /// the same, so that there it fails and is not passed over.
    package static var needsRoot: Self { .enabled(if: geteuid() == 0 || getenv("CI") != nil, "needs root") }
}
