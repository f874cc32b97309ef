extension ClaimTable {
    /// Asks all presenters that have to relinquish the item or to save. Returns false if the claim was refused as a
    /// result.
    mutating func askPresenters(for id: ClaimID) -> Bool {
        guard let claim = claims[id] else { return false }
        claims[id]?.phase = .asking
        let wanted: [(presenter: PresenterID, messages: [PresenterMessage])]
        switch plan(for: claim) {
        case .failure(let error):
            refuse(id, error)
            return false
        case .success(let plan): wanted = plan
        }
        var willAnswer: [(presenter: PresenterID, messages: [PresenterMessage])] = []
        for entry in wanted {
            switch canAnswer(entry.presenter, for: claim) {
            case .yes: willAnswer.append(entry)
            case .no: emit(.report(.presenterPassedOver(entry.presenter, id)))
            case .never(let path):
                refuse(id, .deadlock(path))
                return false
            }
        }
        for entry in willAnswer { ask(entry.presenter, entry.messages, for: id) }
        return true
    }

    private enum Ability { case yes, no, never([WaitForGraph.Node]) }

    /// Returns whether a presenter can answer; it cannot while waiting for this claim. If it waits only to read, it is
    /// not in the middle of writing, and the access may continue without its answer; otherwise one of them must give
    /// way.
    private func canAnswer(_ presenter: PresenterID, for claim: Claim) -> Ability {
        guard let path = graph.path(from: .presenter(presenter), to: [claim.node]) else { return .yes }
        let isReading = path.dropFirst().first?.claim.flatMap { claims[$0] }?.request.onlyReads ?? false
        return isReading ? .no : .never([claim.node] + path)
    }

    private mutating func ask(_ presenter: PresenterID, _ messages: [PresenterMessage], for claim: ClaimID) {
        let id = makeAsk()
        asks[id] = Ask(presenter: presenter, claim: claim, messages: messages)
        presenters[presenter]?.asks.insert(id)
        claims[claim]?.asks.append(id)
        claims[claim]?.awaited.insert(id)
        claims[claim]?.hasWaited = true
        graph.add(.claim(claim), waitsFor: .presenter(presenter))
        set(.answer(id), at: now + bounds.answer)
        emit(.ask(id, presenter, messages))
    }

    // MARK: Answers

    mutating func take(_ answer: PresenterReply, to id: AskID) {
        guard let ask = asks[id], !ask.isAnswered else { return }
        presenters[ask.presenter]?.isSilent = false
        presenters[ask.presenter]?.asks.remove(id)
        asks[id]?.isAnswered = true
        if ask.isClaimOver { return end(id) }
        if case .failed(let reason) = answer, claims[ask.claim]?.awaited.contains(id) == true {
            return refuse(ask.claim, .failed(ask.presenter, reason))
        }
        settle(id)
    }

    /// Records that the claim no longer waits for this answer.
    mutating func settle(_ id: AskID) {
        guard let ask = asks[id], claims[ask.claim]?.awaited.remove(id) != nil else { return }
        graph.remove(.claim(ask.claim), waitsFor: .presenter(ask.presenter))
        ready.append(ask.claim)
    }

    /// Passes over a presenter that has not answered in time or cannot: an eviction of its bytes is refused, everything
    /// else continues without its answer.
    mutating func passOver(_ id: AskID) {
        guard let ask = asks[id], claims[ask.claim]?.awaited.contains(id) == true else { return }
        presenters[ask.presenter]?.isSilent = true
        emit(.report(.presenterSilent(ask.presenter, ask.claim)))
        if ask.messages.contains(.accommodateEviction) { return refuse(ask.claim, .kept(by: ask.presenter)) }
        settle(id)
    }

    /// Ends a question after its claim: relinquishing presenters may reacquire; a presenter yet to answer is notified
    /// when it does.
    mutating func end(_ id: AskID) {
        guard let ask = asks[id] else { return }
        guard ask.isAnswered else {
            asks[id]?.isClaimOver = true
            return
        }
        asks[id] = nil
        if ask.needsReacquire, presenters[ask.presenter] != nil { emit(.reacquire(id, ask.presenter)) }
    }
}
