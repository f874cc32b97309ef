import Basics
import CloudModel
import ControlServer
import DaemonProtocol
import KeyValues
import LocalMetadata
import Sync
import Transfers

import struct Foundation.Data

struct KeyValueHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(keyValues)
        router.on(setKeyValues)
        router.onEvents(of: WatchKeyValuesRequest.self, watchKeyValues)
    }

    func keyValues(_ request: KeyValuesRequest) async throws -> KeyValuesResponse {
        try await blocking { [self] in
            // A store never written to is empty, whether or not its container exists.
            guard let container = try device.store(request.container) else { return KeyValuesResponse(values: [:]) }
            var values = try device.metadata.read { try $0.keyValues.values(in: container) }
            if let keys = request.keys { values = values.filter { keys.contains($0.key) } }
            return KeyValuesResponse(values: values.mapValues { Data($0) })
        }
    }

    /// Writes values, durable when this method returns.
    func setKeyValues(_ request: SetKeyValuesRequest, _ client: ClientContext) async throws -> DoneResponse {
        let container = try await blocking { [self] in
            let container = try device.made(request.container)
            let now = SystemTime().now()
            do {
                try device.metadata.write { transaction in
                    for key in request.remove.sorted() {
                        try transaction.keyValues.set(key, to: nil, in: container, at: now)
                    }
                    for (key, value) in request.set.sorted(by: { $0.key < $1.key }) {
                        try transaction.keyValues.set(key, to: Array(value), in: container, at: now)
                    }
                }
            } catch let refusal as KeyValueRefusal { throw DaemonFailure(refusal) }
            try device.metadata.makeDurable()
            return container
        }
        device.keyValues.changed(
            container, .serverChange, Set(request.set.keys).union(request.remove), except: client.connection)
        device.engine.localTreeChanged()
        return DoneResponse()
    }

    func watchKeyValues(
        _ request: WatchKeyValuesRequest, _ client: ClientContext
    ) async throws -> AsyncThrowingStream<DaemonEvent, any Error> {
        let container = try await blocking { [self] in try device.made(request.container) }
        let feed = KeyValueFeed(
            device.keyValues, container, connection: client.connection, device.engine.context.transfers.clock)
        return AsyncThrowingStream { await feed.next() }
    }
}

extension DaemonFailure {
    fileprivate init(_ refusal: KeyValueRefusal) {
        switch refusal {
        case .key: self.init(.invalidRequest, "a key has 1 to 64 bytes and no NUL")
        case .quota:
            self.init(
                .quota, "the key-value store would hold more than 1,024 keys or 1 MiB",
                advice: "Remove keys, or keep large values in documents.")
        }
    }
}
