/// Observes changed items, and added, removed and moved names.
///
/// Called after the commit, by the changing thread, before the program's call returns. Locks are held:
/// ``VirtualFileSystem/naming`` for names, the state of an open file and perhaps the gate for other changes. An
/// observer must therefore not open any file or change any name.
package protocol TreeObserver: Sendable {
    func happened(_ change: TreeChange)
}
