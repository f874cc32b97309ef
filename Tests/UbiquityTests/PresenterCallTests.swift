import CloudModel
import Foundation
import Testing

@testable import Ubiquity

@Suite("Callbacks of presenters in the library")
struct PresenterCallTests {
    @Test("Each callback calls a method of its own")
    func methods() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("a".utf8).write(to: url)
            let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url, options: [])
            var heard: [String] = []
            for callback in PresenterCallback.allCases {
                let presenter = Full(url)
                let call = PresenterCall(
                    callback, url, from: url, version: "\(version.persistentIdentifier)",
                    attributes: [.ubiquitousItemIsUploadedKey])
                call.notify(presenter)
                // A callback without a notification is only a request.
                if presenter.heard.isEmpty { call.ask(presenter, giveWay: { _ in }, goOn: { _ in }) }
                #expect(presenter.heard.count == 1, "\(callback)")
                heard += presenter.heard
            }
            #expect(Set(heard).count == PresenterCallback.allCases.count)
        }
    }

    @Test("A call without the fields that its callback needs is incomplete", arguments: PresenterCallback.allCases)
    func parameters(callback: PresenterCallback) {
        let url = URL(filePath: "/a")
        let whole = PresenterCall(callback, url, from: url, version: "1.0", attributes: [])
        #expect(whole.isComplete)
        #expect(PresenterCall(callback).isComplete == callback.parameters.isEmpty)
        var part = whole
        part.url = nil
        #expect(part.isComplete != callback.parameters.contains(.path))
        part = whole
        part.version = nil
        #expect(part.isComplete != callback.parameters.contains(.version))
    }

    @Test("Sets of callbacks have the same bits as in earlier releases")
    func bits() {
        let bits: [NSFilePresenterCallbacks] = [
            .relinquishToReader, .relinquishToWriter, .saveChanges, .accommodateDeletion, .accommodateSubitemDeletion,
            .didMove, .didChange, .subitemDidAppear, .subitemDidMove, .subitemDidChange, .accommodateEviction,
            .didGainVersion, .didResolveConflict, .subitemDidGainVersion, .subitemDidResolveConflict, .didLoseVersion,
            .subitemDidLoseVersion, .didChangeUbiquityAttributes,
        ]
        for (place, callback) in bits.enumerated() { #expect(callback.rawValue == 1 << UInt(place)) }
        #expect(NSFilePresenterCallbacks.all.rawValue == 1 << 18 - 1)
    }
}
