import CloudModel
import ServerStorage

extension ContainerTrees {
    /// Returns a view of the whole log, however busy the machine is: ``view(of:of:patience:)`` returns only the part
    /// read within five seconds.
    func wholeView(of name: ContainerName, of account: AccountID) async throws -> View {
        try await view(of: name, of: account, patience: .seconds(600))
    }
}
