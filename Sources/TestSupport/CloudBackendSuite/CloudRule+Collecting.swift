package import CloudModel
package import CloudStorage
import Testing

extension CloudRule {
    /// The rules of ``ChunkCollecting``. A backend adopting it is tested against these as well as ``all``.
    package static let collecting = keys + listing + removal

    private static let keys = [
        CloudRule("a chunk has one copy for each epoch, and a listing has them all") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            let keys = [0, 1, 2, 10, UInt64.max].map { ChunkKey(chunk(1).id, epoch: $0) }
            for key in keys { try await one.put(key, in: container) }
            _ = try await one.append([1], to: container)
            #expect(try await other.wholeListing(of: container).map(\.key) == keys)
        },
        CloudRule("present returns exactly the keys that are stored, among a thousand") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            let keys = (0..<500).flatMap { [ChunkKey(chunk($0).id), ChunkKey(chunk($0).id, epoch: 3)] }
            #expect(try await one.present(keys, in: container).isEmpty)
            let stored = keys.enumerated().filter { $0.offset % 25 == 0 }.map(\.element)
            for key in stored { try await one.put(key, in: container) }
            _ = try await one.append([1], to: container)
            #expect(try await one.present(keys, in: container) == Set(stored))
            #expect(try await other.present(keys, in: container) == Set(stored))
            #expect(try await other.present([], in: container).isEmpty)
        },
        CloudRule("missing and putting without an epoch are those of epoch 0") { cloud in
            let (one, _, container) = try await cloud.twoCollectors()
            let (first, second) = (chunk(1), chunk(2))
            try await one.put(ChunkKey(first.id, epoch: 4), in: container)
            try await one.putChunk(second.id, frame: second.frame, in: container)
            #expect(try await one.missing([first.id, second.id], in: container) == [first.id])
            let keys = [ChunkKey(second.id), ChunkKey(second.id, epoch: 4)]
            #expect(try await one.present(keys, in: container) == [ChunkKey(second.id)])
        },
        CloudRule("a chunk is read whatever the epoch of its key, on every device") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            for epoch in [1, 7, UInt64.max] {
                try await one.put(ChunkKey(chunk(epoch).id, epoch: epoch), in: container)
            }
            _ = try await one.append([1], to: container)
            for epoch in [1, 7, UInt64.max] {
                #expect(try await other.getChunk(chunk(epoch).id, in: container) == chunk(epoch).frame)
            }
        },
        CloudRule("putting a key again changes nothing") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            let key = ChunkKey(chunk(1).id, epoch: 2)
            for backend in [one, one, other] { try await backend.put(key, in: container) }
            #expect(try await one.wholeListing(of: container).map(\.key) == [key])
            #expect(try await other.getChunk(key.id, in: container) == chunk(1).frame)
        },
        CloudRule("no key of a distrusted chunk is present until the chunk is put again; then all that are stored are")
        { cloud in
            let (one, _, container) = try await cloud.twoCollectors()
            let keys = (0..<3).map { ChunkKey(chunk(1).id, epoch: $0) }
            for key in keys.prefix(2) { try await one.put(key, in: container) }
            try await one.put(ChunkKey(chunk(2).id, epoch: 1), in: container)
            _ = try await one.append([1], to: container)
            try await one.distrust([chunk(1).id], in: container)
            #expect(try await one.present(keys, in: container).isEmpty)
            #expect(try await one.missing([chunk(1).id], in: container) == [chunk(1).id])
            #expect(try await one.present([ChunkKey(chunk(2).id, epoch: 1)], in: container).count == 1)
            try await one.put(keys[2], in: container)
            #expect(try await one.present(keys, in: container) == Set(keys))
        },
    ]

    private static let listing = [
        CloudRule("a listing in pages has every chunk once, in the order of keys, with its size") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            #expect(try await one.storedChunks(in: container, after: nil, limit: 10).isEmpty)
            var keys: [ChunkKey] = []
            for number in UInt64(0)..<60 {
                // Ids with equal and with different first bytes.
                let id = chunk(number % 2 == 0 ? number : number << 8 | 5).id
                keys += (0...number % 3).map { ChunkKey(id, epoch: $0) }
            }
            for key in keys { try await one.put(key, in: container) }
            _ = try await one.append([1], to: container)
            for limit in [1, 7, 60, 1000] {
                let listed = try await other.wholeListing(of: container, page: limit)
                #expect(listed.map(\.key) == keys.sorted())
                #expect(listed.allSatisfy { $0.bytes >= UInt64("frame 0".utf8.count) })
            }
        },
        CloudRule("a page starts behind the key that it is given, whether that is stored or not") { cloud in
            let (one, _, container) = try await cloud.twoCollectors()
            let keys = [ChunkKey(chunk(1).id), ChunkKey(chunk(1).id, epoch: 2), ChunkKey(chunk(9).id)]
            for key in keys { try await one.put(key, in: container) }
            let behind = ChunkKey(chunk(1).id, epoch: 1)
            #expect(try await one.storedChunks(in: container, after: behind, limit: 9).map(\.key) == Array(keys[1...]))
            #expect(try await one.storedChunks(in: container, after: keys[2], limit: 9).isEmpty)
        },
        CloudRule("chunks that are put and removed during a listing do not hide the others") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            let keys = (0..<UInt64(20)).map { ChunkKey(chunk($0).id) }.sorted()
            for key in keys { try await one.put(key, in: container) }
            _ = try await one.append([1], to: container)
            let first = try await other.storedChunks(in: container, after: nil, limit: 10).map(\.key)
            #expect(first == Array(keys[..<10]))
            try await one.remove([keys[0], keys[9], keys[10]], in: container)
            let rest = try await other.storedChunks(in: container, after: first.last, limit: 20).map(\.key)
            #expect(rest == Array(keys[11...]))
        },
        CloudRule("an absent container is notFound to a listing, never empty") { cloud in
            let (one, _, _) = try await cloud.twoCollectors()
            let absent = try #require(ContainerName("absent"))
            await expectCloudError(.notFound) {
                _ = try await one.storedChunks(in: absent, after: nil, limit: 10)
            }
        },
    ]

    private static let removal = [
        CloudRule("removing takes exactly the keys that are named; the chunk is read by its other keys") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            let keys = (0..<4).map { ChunkKey(chunk(1).id, epoch: $0) }
            let others = [ChunkKey(chunk(2).id), ChunkKey(chunk(1).id, epoch: 10)]
            for key in keys + others { try await one.put(key, in: container) }
            _ = try await one.append([1], to: container)
            try await other.remove([keys[0], keys[1]], in: container)
            let rest = ([keys[2], keys[3]] + others).sorted()
            #expect(try await one.wholeListing(of: container).map(\.key) == rest)
            #expect(try await one.present(keys + others, in: container) == Set(rest))
            #expect(try await one.getChunk(chunk(1).id, in: container) == chunk(1).frame)
        },
        CloudRule("a chunk without any key left is missing and notFound, and may be put again") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            let keys = [ChunkKey(chunk(1).id), ChunkKey(chunk(1).id, epoch: 1)]
            for key in keys { try await one.put(key, in: container) }
            _ = try await one.append([1], to: container)
            try await one.remove(keys, in: container)
            await expectCloudError(.notFound) { _ = try await other.getChunk(chunk(1).id, in: container) }
            #expect(try await other.missing([chunk(1).id], in: container) == [chunk(1).id])
            try await other.put(ChunkKey(chunk(1).id, epoch: 2), in: container)
            #expect(try await other.getChunk(chunk(1).id, in: container) == chunk(1).frame)
        },
        CloudRule("removing what is absent is no error, however often") { cloud in
            let (one, other, container) = try await cloud.twoCollectors()
            let keys = (0..<3).map { ChunkKey(chunk(1).id, epoch: $0) }
            try await one.put(keys[1], in: container)
            _ = try await one.append([1], to: container)
            for backend in [one, other, one] { try await backend.remove(keys, in: container) }
            #expect(try await one.wholeListing(of: container).isEmpty)
            try await one.remove([], in: container)
        },
        CloudRule("a device's appends go through after it removed chunks that it had put or found") { cloud in
            let (one, _, container) = try await cloud.twoCollectors()
            let keys = (0..<UInt64(20)).map { ChunkKey(chunk($0).id, epoch: $0 % 2) }
            for key in keys { try await one.put(key, in: container) }
            #expect(try await one.present(keys, in: container).count == 20)
            try await one.remove(keys, in: container)
            #expect(try await one.append([1], to: container) == LogSequence(1))
        },
        CloudRule("a thousand keys are removed by one call") { cloud in
            let (one, _, container) = try await cloud.twoCollectors()
            let keys = (0..<UInt64(1100)).map { ChunkKey(chunk($0).id, epoch: 1) }
            for key in keys { try await one.put(key, in: container) }
            try await one.remove(Array(keys.dropLast()), in: container)
            #expect(try await one.wholeListing(of: container, page: 1000).map(\.key) == [keys[1099]])
        },
    ]
}

extension CloudUnderTest {
    /// Returns two devices of a collecting cloud, and a container usable by both.
    func twoCollectors() async throws -> (any ChunkCollecting, any ChunkCollecting, ContainerName) {
        let (one, other, container) = try await twoDevices()
        let collectors = [one, other].compactMap { $0.facet((any ChunkCollecting).self) }
        try #require(collectors.count == 2, "the cloud does not collect")
        return (collectors[0], collectors[1], container)
    }
}

extension ChunkCollecting {
    /// Returns all stored chunks of a container, read in pages.
    package func wholeListing(of container: ContainerName, page: Int = 7) async throws -> [StoredChunk] {
        var found: [StoredChunk] = []
        while true {
            let more = try await storedChunks(in: container, after: found.last?.key, limit: page)
            if more.isEmpty { return found }
            #expect(more.count <= page)
            found += more
        }
    }

    /// Puts the suite's chunk for this id.
    fileprivate func put(_ key: ChunkKey, in container: ContainerName) async throws {
        let number = key.id.bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let frame = Array("frame \(number)".utf8)
        try await putChunk(OutgoingChunk(id: key.id, kind: .data, frame: frame), epoch: key.epoch, in: container)
    }
}
