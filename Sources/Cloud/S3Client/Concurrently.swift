/// The number of concurrent requests per operation.
package let concurrentRequests = 16

/// Returns the results of `body` for all items, in their order; at most ``concurrentRequests`` run at a time.
package func concurrently<Item: Sendable, Value: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
        var values = [Value?](repeating: nil, count: items.count)
        for (index, item) in items.enumerated() {
            if index >= concurrentRequests, let (done, value) = try await group.next() { values[done] = value }
            group.addTask { (index, try await body(item)) }
        }
        for try await (index, value) in group { values[index] = value }
        return values.compactMap(\.self)
    }
}
