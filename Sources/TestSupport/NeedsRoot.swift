import Glibc
package import Testing

extension Trait where Self == ConditionTrait {
    /// A test involving mounts or several users. It is skipped without root, except in CI (the variable `CI` is set),
    /// where it fails rather than being skipped unnoticed.
    package static var needsRoot: Self { .enabled(if: geteuid() == 0 || getenv("CI") != nil, "needs root") }
}
