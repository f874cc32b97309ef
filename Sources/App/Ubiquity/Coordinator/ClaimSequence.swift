import Coordination
import Foundation
import Synchronization

/// The claims of a coordinated access. All items of an authority are claimed together; the authorities follow each
/// other in a global order, so that no two sequences wait for each other.
final class ClaimSequence: Sendable {
    typealias Completion = @Sendable (Result<HeldClaims, CoordinationFailure>) -> Void

    private struct Group: Sendable {
        let route: ClaimRouter.Route
        /// The indices in the list of wanted items.
        var indices: [Int] = []
        var accesses: [PathAccess] = []
    }

    private struct State {
        var ticket: ClaimTicket?
        var isCancelled = false
        /// Whether the accessor is about to run, too late for a cancellation.
        var isGranted = false
        var claims: [HeldClaims.Claim] = []
        var paths: [Int: String] = [:]
    }

    private let wanted: [WantedItem]
    private let oldPaths: [String]
    private let existed: [Bool]
    private let groups: [Group]
    private let purpose: String
    private let agent: PresenterAgent?
    private let completion: Completion
    private let state = Mutex(State())

    init(_ wanted: [WantedItem], purpose: String, agent: PresenterAgent?, _ completion: @escaping Completion) {
        self.wanted = wanted
        self.purpose = purpose
        self.agent = agent
        self.completion = completion
        let routes = wanted.map { ClaimRouter.shared.route($0.target) }
        oldPaths = routes.map(\.path)
        existed = routes.map(\.exists)
        var groups: [ObjectIdentifier: Group] = [:]
        for (index, route) in routes.enumerated() {
            var group = groups[ObjectIdentifier(route.authority)] ?? Group(route: route)
            group.indices.append(index)
            group.accesses.append(PathAccess(path: route.path, mode: wanted[index].mode))
            groups[ObjectIdentifier(route.authority)] = group
        }
        self.groups = groups.values.sorted { ($0.route.mount?.root ?? "") < ($1.route.mount?.root ?? "") }
    }

    func begin() { ask(for: groups[...]) }

    /// Begins on a thread waiting for the outcome.
    func begin(until isDone: () -> Bool) {
        // With several authorities, the thread delivering an outcome sends the next request.
        guard groups.count == 1 else { return begin() }
        groups[0].route.authority.ask(begin, until: isDone)
    }

    /// Cancels the sequence: the completion receives ``CoordinationFailure/cancelled``, unless it was called before.
    func cancel() {
        let ticket = state.withLock { state -> ClaimTicket? in
            guard !state.isGranted else { return nil }
            state.isCancelled = true
            return state.ticket
        }
        ticket?.cancel()
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    private func ask(for rest: ArraySlice<Group>) {
        guard let group = rest.first, !isCancelled else { return complete() }
        let authority = group.route.authority
        let terms = ClaimTerms(purpose: purpose, agent: agent, enclosure: Enclosing.innermost(of: authority))
        let around = Enclosing.current
        let ticket = authority.open(group.accesses, terms) { [self] result in
            switch result {
            case .success(let granted):
                keep(granted, of: group)
                Enclosing.$current.withValue(around) { ask(for: rest.dropFirst()) }
            case .failure(let failure):
                giveBack()
                completion(.failure(failure))
            }
        }
        let isLate = state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
        if isLate { ticket.cancel() }
    }

    private func keep(_ granted: GrantedClaim, of group: Group) {
        state.withLock { state in
            state.claims.append(HeldClaims.Claim(granted: granted, authority: group.route.authority))
            for (index, path) in zip(group.indices, granted.paths) { state.paths[index] = path }
        }
    }

    /// Releases the claims. Called on the thread delivering outcomes, which must not wait for a response only
    /// it can read.
    private func giveBack() {
        for claim in state.withLock({ $0.claims }).reversed() { claim.granted.drop() }
    }

    private func complete() {
        let (claims, paths, isCancelled) = state.withLock { state in
            state.isGranted = !state.isCancelled
            return (state.claims, state.paths, state.isCancelled)
        }
        if isCancelled {
            giveBack()
            return completion(.failure(.cancelled))
        }
        let items = wanted.indices.map { index in
            HeldClaims.Item(
                wanted: wanted[index], oldPath: oldPaths[index], path: paths[index] ?? oldPaths[index],
                existed: existed[index])
        }
        completion(.success(HeldClaims(claims: claims, items: items)))
    }
}
