import CloudModel
import CloudStorage
import Testing

extension CloudRule {
    static let chunks = [
        CloudRule("a chunk comes back as it was put, on every device") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            let (id, frame) = chunk(1)
            try await one.putChunk(id, frame: frame, in: container)
            #expect(try await one.getChunk(id, in: container) == frame)
            _ = try await one.append([1], to: container)
            #expect(try await other.getChunk(id, in: container) == frame)
        },
        CloudRule("a chunk that is not there is notFound") { cloud in
            let (one, _, container) = try await cloud.twoDevices()
            await expectCloudError(.notFound) { _ = try await one.getChunk(chunk(1).id, in: container) }
        },
        CloudRule("a cloud with threads of its own passes a chunk on as it was put, or throws notFound") { cloud in
            let (one, _, container) = try await cloud.twoDevices()
            guard let reading = one.facet((any ChunkReading).self) else { return }
            let (id, frame) = chunk(1)
            await expectCloudError(.notFound) { _ = try await reading.withChunk(id, in: container) { $0 } }
            try await one.putChunk(id, frame: frame, in: container)
            #expect(try await reading.withChunk(id, in: container) { $0 } == frame)
        },
        CloudRule("missing names exactly what is not there, among a thousand") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            let ids = (0..<1000).map { chunk($0).id }
            #expect(try await one.missing(ids, in: container) == Set(ids))
            for number in stride(from: UInt64(0), to: 1000, by: 20) {
                let (id, frame) = chunk(number)
                try await one.putChunk(id, frame: frame, in: container)
            }
            _ = try await one.append([1], to: container)
            let absent = Set(ids.enumerated().filter { $0.offset % 20 != 0 }.map(\.element))
            #expect(try await one.missing(ids, in: container) == absent)
            #expect(try await other.missing(ids, in: container) == absent)
            #expect(try await one.missing([], in: container).isEmpty)
        },
        CloudRule("putting a chunk again changes nothing") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            let (id, frame) = chunk(1)
            for backend in [one, one, other] { try await backend.putChunk(id, frame: frame, in: container) }
            #expect(try await other.getChunk(id, in: container) == frame)
        },
        CloudRule("many devices may put one chunk at once") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            let (id, frame) = chunk(1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<20 {
                    group.addTask { try await [one, other][index % 2].putChunk(id, frame: frame, in: container) }
                }
                try await group.waitForAll()
            }
            #expect(try await one.getChunk(id, in: container) == frame)
        },
        CloudRule("a chunk may be large") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            let frame = [UInt8](unsafeUninitializedCapacity: 9 << 20) { buffer, count in
                for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3) }
                count = buffer.count
            }
            try await one.putChunk(chunk(1).id, frame: frame, in: container)
            _ = try await one.append([1], to: container)
            #expect(try await other.getChunk(chunk(1).id, in: container) == frame)
        },
        CloudRule("an append goes through with any number of chunks before it") { cloud in
            let (one, other, container) = try await cloud.twoDevices()
            for count in [1, 16, 17, 40] {
                let ids = (0..<UInt64(count)).map { chunk($0 + UInt64(count) * 1000) }
                for (id, frame) in ids { try await one.putChunk(id, frame: frame, in: container) }
                _ = try await one.append([1], to: container)
                #expect(try await other.missing(ids.map(\.id), in: container).isEmpty)
            }
        },
    ]
}
