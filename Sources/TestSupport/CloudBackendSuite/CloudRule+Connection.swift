import CloudModel
import CloudStorage
import Testing

extension CloudRule {
    static let connection = [
        CloudRule("an absent cloud is offline unless it is to be created") { cloud in
            let backend = try await cloud.unconnected()
            await expectCloudError(.offline) { _ = try await backend.connect(create: false) }
            // The attempt created nothing.
            await expectCloudError(.offline) { _ = try await backend.connect(create: false) }
        },
        CloudRule("all instances see one identity, which is not empty") { cloud in
            let made = try await cloud.unconnected().connect(create: true)
            #expect(!made.text.isEmpty)
            for create in [false, true] {
                let found = try await cloud.unconnected().connect(create: create)
                #expect(found == made)
            }
        },
        CloudRule("devices that create the cloud at the same time create one") { cloud in
            let identities = try await withThrowingTaskGroup(of: CloudIdentity.self) { group in
                for _ in 0..<8 { group.addTask { try await cloud.unconnected().connect(create: true) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(identities.count == 1)
        },
        CloudRule("connecting again is harmless") { cloud in
            let (one, _, container) = try await cloud.twoDevices()
            _ = try await one.append([1], to: container)
            _ = try await one.connect(create: false)
            _ = try await one.append([2], to: container)
            #expect(try await one.wholeLog(of: container).map(\.payload) == [[1], [2]])
        },
        CloudRule("where the space is known, no more is free than there is in total") { cloud in
            guard let space = try await cloud.device().space() else { return }
            #expect(space.total > 0 && space.free <= space.total)
        },
    ]

    static let containers = [
        CloudRule("a new cloud has no containers") { cloud in
            let backend = try await cloud.device()
            #expect(try await backend.containers().isEmpty)
        },
        CloudRule("a container that one device creates is visible to the others") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            #expect(try await other.containers() == [container])
            let notes = try #require(ContainerName("com.example.notes"))
            try await other.createContainer(notes)
            #expect(try await Set(one.containers()) == [container, notes])
        },
        CloudRule("creating a container again keeps its contents") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            _ = try await one.append([1], to: container)
            try await other.createContainer(container)
            #expect(try await one.wholeLog(of: container).count == 1)
        },
        CloudRule("devices that create a container at the same time create one") { cloud in
            let (one, other, _) = try await cloud.twoDevices()
            let notes = try #require(ContainerName("notes"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<16 { group.addTask { try await [one, other][index % 2].createContainer(notes) } }
                try await group.waitForAll()
            }
            #expect(try await one.containers().filter { $0 == notes }.count == 1)
            #expect(try await one.append([1], to: notes) == LogSequence(1))
        },
        CloudRule("every operation fails in a container that was never created") { cloud in
            let backend = try await cloud.device()
            let absent = try #require(ContainerName("absent"))
            let (id, frame) = chunk(1)
            await expectCloudError(.notFound) { _ = try await backend.append([1], to: absent) }
            await expectCloudError(.notFound) { _ = try await backend.entries(in: absent, after: .zero, limit: 1) }
            await expectCloudError(.notFound) { _ = try await backend.missing([id], in: absent) }
            await expectCloudError(.notFound) { try await backend.putChunk(id, frame: frame, in: absent) }
            await expectCloudError(.notFound) { _ = try await backend.getChunk(id, in: absent) }
            #expect(try await backend.containers().isEmpty)
        },
        CloudRule("containers are isolated: neither the log nor the chunks of one appear in another") { cloud in
            let (one, _, container) = try await cloud.twoDevices()
            let notes = try #require(ContainerName("notes"))
            try await one.createContainer(notes)
            let (id, frame) = chunk(1)
            try await one.putChunk(id, frame: frame, in: container)
            _ = try await one.append([1], to: container)
            #expect(try await one.missing([id], in: notes) == [id])
            #expect(try await one.wholeLog(of: notes).isEmpty)
            #expect(try await one.append([2], to: notes) == LogSequence(1))
        },
    ]
}
