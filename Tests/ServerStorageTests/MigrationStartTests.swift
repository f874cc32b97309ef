import Testing

@testable import ServerStorage

@Suite("How a migration begins")
struct MigrationStartTests {
    private func mark(
        _ role: MigrationMark.Role, id: String = "one", _ position: MigrationPosition? = nil
    ) -> MigrationMark {
        MigrationMark(id: id, role: role, other: "elsewhere", position: position)
    }

    private func start(_ source: MigrationMark?, _ target: MigrationMark?, isEmpty: Bool = false) -> MigrationStart {
        MigrationStart(source: source, target: target, targetIsEmpty: isEmpty)
    }

    @Test("a target without a mark has to be empty")
    func unmarked() {
        #expect(start(nil, nil, isEmpty: true) == .begin(id: nil))
        #expect(start(mark(.source), nil, isEmpty: true) == .begin(id: "one"))
        #expect(start(nil, nil) == .refuse(.targetHasData))
        #expect(start(mark(.source), nil) == .refuse(.targetHasData))
    }

    @Test("a target is continued by its own source alone")
    func resumed() {
        let target = mark(.target, .compared)
        #expect(start(mark(.source), target) == .resume(target))
        #expect(start(mark(.source, id: "two"), target) == .refuse(.targetIsOfAnother(source: "elsewhere")))
        // The migration was cancelled.
        #expect(start(nil, target) == .refuse(.targetIsOfAnother(source: "elsewhere")))
    }

    @Test("a source that was moved only finishes a target that is complete")
    func moved() {
        let target = mark(.target, .complete)
        #expect(start(mark(.moved), target) == .finish(target))
        for other in [mark(.target, .compared), mark(.target, id: "two", .complete), nil] {
            #expect(start(mark(.moved), other, isEmpty: other == nil) == .refuse(.sourceWasMoved(to: "elsewhere")))
        }
    }

    @Test("a complete migration is done, and where a server came from does not matter later")
    func arrived() {
        let arrived = mark(.arrived)
        #expect(start(mark(.moved), arrived) == .done)
        #expect(start(mark(.moved, id: "two"), arrived) == .refuse(.sourceWasMoved(to: "elsewhere")))
        #expect(start(arrived, nil, isEmpty: true) == .begin(id: nil))
        #expect(start(nil, arrived) == .refuse(.targetHasData))
        #expect(start(mark(.source), arrived) == .refuse(.targetHasData))
    }

    @Test("an incomplete target is no source, and a source no target")
    func roles() {
        #expect(start(mark(.target), nil, isEmpty: true) == .refuse(.sourceIsIncomplete))
        #expect(start(nil, mark(.source)) == .refuse(.targetIsSource))
        #expect(start(nil, mark(.moved)) == .refuse(.targetIsSource))
    }
}
