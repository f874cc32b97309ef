import CloudModel
package import CloudStorage
package import Testing

extension CloudRule {
    /// A backend may send an event without a reason, so each proof checks after every event whether the change is visible, and ends once it
    /// is.
    static let events = [
        CloudRule("an append of another device makes an event") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            guard let one = one.facet((any ChangeNotifying).self) else { return }
            let events = one.events()
            for number in UInt64(1)...3 {
                _ = try await other.append([1], to: container)
                await expectEvent(.containerChanged(container), in: events) {
                    try await one.wholeLog(of: container).count == Int(number)
                }
            }
        },
        CloudRule("events report containers created after the stream began, and changes in them") { cloud in
            let (one, other, _) = try await cloud.twoDevices()
            guard let one = one.facet((any ChangeNotifying).self) else { return }
            let events = one.events()
            let notes = try #require(ContainerName("notes"))
            try await other.createContainer(notes)
            await expectEvent(.containersChanged, in: events) { try await one.containers().contains(notes) }
            _ = try await other.append([1], to: notes)
            await expectEvent(.containerChanged(notes), in: events) {
                try await one.wholeLog(of: notes).count == 1
            }
        },
        CloudRule("every consumer of events receives them") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            guard let one = one.facet((any ChangeNotifying).self), let other = other.facet((any ChangeNotifying).self)
            else { return }
            let streams = [one.events(), one.events(), other.events()]
            _ = try await other.append([1], to: container)
            for events in streams {
                await expectEvent(.containerChanged(container), in: events) {
                    try await one.wholeLog(of: container).count == 1
                }
            }
        },
        CloudRule("events end when their consumer is cancelled") { cloud in
            guard let one = try await cloud.twoDevices().0.facet((any ChangeNotifying).self) else { return }
            let events = one.events()
            let consumer = Task { for await _ in events {} }
            consumer.cancel()
            await consumer.value
        },
    ]
}

/// Waits until this event arrives while `isTrue` holds.
package func expectEvent(
    _ event: CloudEvent, in events: AsyncStream<CloudEvent>, sourceLocation: SourceLocation = #_sourceLocation,
    _ isTrue: () async throws -> Bool
) async {
    do {
        for await next in events where next == event {
            if try await isTrue() { return }
        }
        Issue.record("the events ended before \(event)", sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
