import ServerStorage
import ServiceLifecycle

extension ChangeHub {
    /// Waits for a change, for a time at most, and not beyond the beginning of an orderly end: then all waiting is over.
    func wait(for account: AccountID, after revision: UInt64, atMost patience: Duration) async {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.wait(for: account, after: revision) }
                // A sleep that is cut short ends the waiting as well.
                group.addTask { try? await Task.sleep(for: patience) }
                await group.next()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.close()
        }
    }
}
