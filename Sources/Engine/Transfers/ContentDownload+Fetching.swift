import Basics
import Chunking
import CloudModel
import CloudStorage
import Synchronization

// MARK: Running fetches

extension ContentDownload {
    /// A download's knowledge from its manifest; computed outside the lock, as it takes time for a large content.
    struct Known: Sendable {
        let manifest: Manifest
        let present: PresenceBitmap
        let local: LocalCopies
    }

    func prepare(_ manifest: Manifest) -> Known {
        let count = manifest.chunks.count
        let saved = options.presentChunks.flatMap { PresenceBitmap(bytes: $0, count: count) }
        return Known(
            manifest: manifest, present: saved ?? PresenceBitmap(count: count),
            local: LocalCopies(manifest: manifest, destination: destination, reuse: options.reuse))
    }

    func enter(_ known: Known, _ state: inout State, now: Duration) -> [FetchPlan.Action] {
        state.local = known.local
        return state.plan.manifestArrived(known.manifest, present: known.present, now: now)
    }

    /// Starts a fetch or a local copy. Called under the lock.
    func start(_ target: FetchPlan.Target, _ priority: TransferPriority, _ state: inout State) {
        guard case .chunk(let index) = target,
            let manifest = state.plan.manifest,
            let place = state.local?.place(of: index, present: state.plan.present)
        else { return submit(target, priority, &state) }
        let entry = manifest.chunks[index]
        let offset = manifest.offset(of: index)
        context.pool.submit(urgent: priority == .demand) {
            self.copy(place, entry, to: offset, target: target, priority: priority)
        }
    }

    private func submit(_ target: FetchPlan.Target, _ priority: TransferPriority, _ state: inout State) {
        let throttleTicket = context.down.makeTicket()
        state.throttleTickets[target] = throttleTicket
        state.tickets[target] = context.slots.submit(priority) { await self.fetch(target, priority, throttleTicket) }
    }

    /// Copies a chunk from a local file, or fetches it if the file does not have it after all. Runs on a thread of the pool.
    private func copy(
        _ place: LocalCopies.Place, _ entry: ChunkEntry, to offset: UInt64, target: FetchPlan.Target,
        priority: TransferPriority
    ) {
        // If the local copy is wrong in any way, the cloud still has the chunk.
        let bytes = (try? place.file.read(at: place.offset, length: entry.length)) ?? []
        guard Digest.of(bytes) == entry.id else {
            return handle { state, now in
                if state.plan.isStopped { return state.plan.abandoned(target, now: now) }
                submit(target, priority, &state)
                return []
            }
        }
        do {
            try destination.write(bytes, at: offset)
            arrived(target)
        } catch {
            failed(target, error)
        }
    }

    /// Fetches over the network, in a slot held until the bytes are written, which bounds the memory.
    private func fetch(
        _ target: FetchPlan.Target, _ priority: TransferPriority, _ throttleTicket: TransferThrottle.Ticket
    ) async {
        // A reader may have begun to wait for it while it waited for its slot.
        let priority = state.withLock { $0.plan.inFlight[target] } ?? priority
        do {
            switch target {
            case .manifest: try await fetchManifest(priority, throttleTicket)
            case .chunk(let index): try await fetchChunk(index, priority, throttleTicket)
            }
        } catch {
            if Task.isCancelled { abandoned(target) } else { failed(target, error) }
        }
    }

    private func fetchManifest(_ priority: TransferPriority, _ throttleTicket: TransferThrottle.Ticket) async throws {
        // Its size is unknown before it arrives.
        let known = try await context.withChunk(
            reference.digest, in: container, about: 0, priority, isUrgent: true, throttleTicket
        ) { [self] frame in
            options.onReceived?(frame.count)
            let plain = try ChunkFrame.decode(frame, expecting: reference.digest)
            return prepare(try Manifest(decoding: plain, size: reference.size))
        }
        handle { state, now in
            state.forget(.manifest)
            return enter(known, &state, now: now)
        }
    }

    private func fetchChunk(_ index: Int, _ priority: TransferPriority, _ throttleTicket: TransferThrottle.Ticket)
        async throws
    {
        guard
            let (entry, offset) = state.withLock({ $0.plan.manifest.map { ($0.chunks[index], $0.offset(of: index)) } })
        else { return abandoned(.chunk(index)) }
        try await context.withChunk(
            entry.id, in: container, about: entry.length, priority, isUrgent: priority == .demand, throttleTicket
        ) { [self] frame in
            options.onReceived?(frame.count)
            let plain = try ChunkFrame.decode(frame, expecting: entry.id, limit: entry.length)
            guard plain.count == entry.length else {
                throw TransferError(.damaged, "Chunk \(entry.id) has \(plain.count) bytes, not \(entry.length).")
            }
            try destination.write(plain, at: offset)
            // On this thread: its readers need not wait until this task has a thread again.
            arrived(.chunk(index))
        }
    }

    private func arrived(_ target: FetchPlan.Target) {
        guard case .chunk(let index) = target else { return }
        context.silences.end(reference.digest)
        handle { state, now in
            state.forget(target)
            return state.plan.arrived(index, now: now)
        }
    }

    private func failed(_ target: FetchPlan.Target, _ error: any Error) {
        let jitter = context.jitter()
        handle { state, now in
            state.forget(target)
            return state.plan.failed(target, TransferError(error), now: now, jitter: jitter)
        }
    }

    private func abandoned(_ target: FetchPlan.Target) {
        handle { state, now in
            state.forget(target)
            return state.plan.abandoned(target, now: now)
        }
    }
}
