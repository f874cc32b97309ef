import DaemonProtocol
import Foundation
import Synchronization

/// The course of an access: acquiring its claims, and fetching the bytes to read. While bytes are fetched nothing is
/// claimed, so no access waits behind a download, which may take long or fail.
extension NSFileCoordinator {
    /// Maximum number of attempts. If claimed content turns out to be missing, it is fetched without the claim, and the
    /// claim is then requested again. In the last attempt, the bytes are fetched under the claim, to prevent their
    /// eviction in between.
    private static let attempts = 3

    /// Returns a call for ``cancel()`` to cancel; throws if the coordinator was cancelled already.
    func makeCall() throws(CoordinationFailure) -> AccessCall {
        let call = state.withLock { state -> AccessCall? in
            guard !state.isCancelled else { return nil }
            state.lastCall += 1
            let number = state.lastCall
            let call = AccessCall { [weak self] in
                self?.state.withLock { _ = $0.calls.removeValue(forKey: number) }
            }
            state.calls[number] = call
            return call
        }
        guard let call else { throw .cancelled }
        return call
    }

    // MARK: On the calling thread

    /// Waits until the accessor may run.
    func access(_ wanted: [WantedItem], _ call: AccessCall) throws(CoordinationFailure) -> PreparedAccess {
        do throws(CoordinationFailure) {
            for attempt in 1... {
                let held = try claims(wanted, call)
                let missing = try held.missing()
                guard !missing.isEmpty else { return try held.prepare() }
                if attempt == Self.attempts {
                    try held.guarded { () throws(CoordinationFailure) in for item in missing { try item.fetch(call) } }
                    return try held.prepare()
                }
                held.drop()
                for item in missing { try item.fetch(call) }
            }
            throw CoordinationFailure.cancelled
        } catch {
            call.end()
            throw error
        }
    }

    private func claims(_ wanted: [WantedItem], _ call: AccessCall) throws(CoordinationFailure) -> HeldClaims {
        let outcome = BlockingPromise<Result<HeldClaims, CoordinationFailure>>()
        let sequence = sequence(wanted) { outcome.put($0) }
        call.wait { sequence.cancel() }
        sequence.begin { outcome.isFull }
        return try outcome.take().get()
    }

    private func sequence(_ wanted: [WantedItem], _ completion: @escaping ClaimSequence.Completion) -> ClaimSequence {
        let agent = presenter.flatMap { PresenterDirectory.shared.agent(of: $0.value) }
        if let agent { PresenterDirectory.shared.register(agent) }
        return ClaimSequence(wanted, purpose: purposeIdentifier, agent: agent, completion)
    }

    // MARK: Without blocking a thread

    typealias Completion = @Sendable (Result<PreparedAccess, CoordinationFailure>) -> Void

    /// Accesses the items without waiting: the claims have been requested when this method returns. The completion is
    /// called once, on any thread, which must not be blocked.
    func access(
        _ wanted: [WantedItem], _ call: AccessCall, attempt: Int = 1, _ completion: @escaping Completion
    ) {
        let around = Enclosing.current
        let sequence = sequence(wanted) { [self] result in
            // The daemon has checked already: nothing left can block.
            if case .success(let held) = result, held.isReady { return completion(.success(held.prepared)) }
            // The current thread reads for all callers and must not be blocked.
            DispatchQueue.global().async { [self] in
                Enclosing.$current.withValue(around) { look(result, wanted, call, attempt, completion) }
            }
        }
        call.wait { sequence.cancel() }
        sequence.begin()
    }

    private func look(
        _ result: Result<HeldClaims, CoordinationFailure>, _ wanted: [WantedItem], _ call: AccessCall, _ attempt: Int,
        _ completion: @escaping Completion
    ) {
        do throws(CoordinationFailure) {
            let held = try result.get()
            let missing = try held.missing()
            guard !missing.isEmpty else { return completion(.success(try held.prepare())) }
            let isLast = attempt == Self.attempts
            if !isLast { held.drop() }
            let around = Enclosing.current
            Self.fetch(missing[...], call) { [self] failure in
                Enclosing.$current.withValue(around) {
                    if let failure {
                        if isLast { held.drop() }
                        return completion(.failure(failure))
                    }
                    guard isLast else { return access(wanted, call, attempt: attempt + 1, completion) }
                    completion(Result { () throws(CoordinationFailure) in try held.prepare() })
                }
            }
        } catch { completion(.failure(error)) }
    }

    /// Fetches the contents in sequence.
    private static func fetch(
        _ missing: ArraySlice<MissingContent>, _ call: AccessCall,
        _ completion: @escaping @Sendable (CoordinationFailure?) -> Void
    ) {
        guard let item = missing.first else { return completion(nil) }
        item.fetch(call) { failure in
            // The completion may block, and the current thread reads for all callers.
            DispatchQueue.global().async {
                if let failure { completion(failure) } else { fetch(missing.dropFirst(), call, completion) }
            }
        }
    }
}
