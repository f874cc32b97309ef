import ServerStorage
import ServiceLifecycle

extension ChangeHub {
    /// Waits for a change for at most `patience`, or until an orderly shutdown begins, which ends all waiting.
    func wait(for account: AccountID, after revision: UInt64, atMost patience: Duration) async {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.wait(for: account, after: revision) }
                // A cancelled sleep ends the wait as well.
                group.addTask { try? await Task.sleep(for: patience) }
                await group.next()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.close()
        }
    }
}
