import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Simulation

/// Cases of two folders merged in the log.
extension FoundCases {
    @Test("a document keeps its name where a folder with one of the same name becomes its folder and is emptied")
    func mergeOfEmptiedFolder() throws {
        try withDevices(2) { devices, users in
            var ledger = Ledger()
            for name in ["a", "f"] { try users[0].makeFolder(name) }
            try users[0].save("c", in: users[0].item(at: "a").node, "1", &ledger)
            try restAll(devices)
            try users[0].save("c", in: users[0].item(at: "f").node, "22", &ledger)
            try sync(devices[0])
            // The other device does not know of the second document.
            try users[1].rename("a", to: "f")
            _ = try users[1].unlink(users[1].item(at: "f/c"), &ledger)
            try restAll(devices)
            for user in users {
                #expect(try user.names(in: "f") == ["c"])
                #expect(try user.content(of: user.item(at: "f/c")) == "22")
            }
        }
    }

    @Test("two documents of one name in folders that become one keep the names that the log gives them")
    func mergeOfNamesakes() throws {
        try withDevices(3) { devices, users in
            var ledger = Ledger()
            for name in ["a", "f"] { try users[0].makeFolder(name) }
            try users[0].save("c", in: users[0].item(at: "a").node, "1", &ledger)
            try restAll(devices)
            try users[0].save("c", in: users[0].item(at: "f").node, "22", &ledger)
            try sync(devices[0])
            try users[1].rename("a", to: "f")
            try sync(devices[1])
            let length = devices[0].cloud.log.count
            try restAll(devices)
            #expect(devices[0].cloud.log.count == length, "no device has anything to send")
            for user in users {
                #expect(try user.names(in: "f") == ["c", "c 2"])
                #expect(try user.content(of: user.item(at: "f/c")) == "22")
                #expect(try user.content(of: user.item(at: "f/c 2")) == "1")
            }
        }
    }

    @Test("a document that leaves a folder stays where it was moved although the folder becomes another one at once")
    func moveBeforeMerge() throws {
        try withDevices(3) { devices, users in
            var ledger = Ledger()
            for name in ["a", "f"] { try users[0].makeFolder(name) }
            try users[0].save("c", in: users[0].item(at: "a").node, "1", &ledger)
            try restAll(devices)
            try users[0].save("d", in: users[0].item(at: "f").node, "22", &ledger)
            try sync(devices[0])
            try users[1].rename("a/c", to: "c")
            try users[1].rename("a", to: "f")
            try restAll(devices)
            for user in users {
                #expect(try user.names(in: "f") == ["d"])
                #expect(try user.content(of: user.item(at: "c")) == "1")
            }
        }
    }

    @Test("a document that is renamed to a name which another one has in the merged folder gets the next free one")
    func renameBeforeMerge() throws {
        try withDevices(3) { devices, users in
            var ledger = Ledger()
            for name in ["a", "f"] { try users[0].makeFolder(name) }
            try users[0].save("c", in: users[0].item(at: "a").node, "1", &ledger)
            try restAll(devices)
            try users[0].save("d", in: users[0].item(at: "f").node, "22", &ledger)
            try sync(devices[0])
            try users[1].rename("a", to: "f")
            try devices[2].files.rename(
                Array("c".utf8), in: users[2].item(at: "a").node, to: Array("d".utf8), in: users[2].item(at: "a").node,
                mode: .replace)
            try restAll([devices[1], devices[2], devices[0]])
            for user in users {
                #expect(try user.content(of: user.item(at: "f/d")) == "22")
                #expect(try user.content(of: user.item(at: "f/d 2")) == "1")
            }
        }
    }
}
