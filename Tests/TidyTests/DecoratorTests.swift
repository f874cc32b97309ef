import Testing

/// A method of a cloud that no decorator forwards would go past encryption, past the switch that takes a device offline, and past whatever
/// else stands around a cloud.
@Suite("Decorators of clouds")
struct DecoratorTests {
    private struct Contract {
        let name: String
        /// The names of its methods with their parameters, and of its properties.
        var requirements: Set<String>
    }

    /// Returns the code of a file without comments and spaces, so that line breaks do not matter.
    private static func code(_ file: Repository.File) -> String {
        file.lines.map { line in line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line }
            .joined(separator: " ").filter { $0 != " " }
    }

    private static func members(_ code: some StringProtocol) -> Set<String> {
        let member = /func\w+(<[^>]*>)?\(([^()]|\([^()]*\))*\)|var\w+:/
        return Set(String(code).matches(of: member).map { String($0.0) })
    }

    /// Returns `CloudDecorator` without comments and spaces, and the names of the facets that it refines.
    private static func decorator() throws -> (code: String, facets: [String]) {
        let files = Repository.files(below: "Sources/Cloud/CloudStorage", ending: ["CloudDecorator.swift"])
        let code = code(try #require(files.first))
        let heading = try #require(code.firstMatch(of: /protocolCloudDecorator:([\w,]*){/)).1
        return (code, heading.split(separator: ",").map(String.init))
    }

    /// Returns the contract of a cloud and its facets: the protocols that refine it, or refine a facet.
    private static func contracts(_ facets: [String]) -> [Contract] {
        Repository.files(below: "Sources", ending: [".swift"]).filter { file in
            file.lines.contains { $0.hasPrefix("package protocol ") || $0.hasPrefix("protocol ") }
        }.flatMap { file in
            code(file).matches(of: /protocol(\w+):([\w,]+){([^{}]*(?:{[^{}]*}[^{}]*)*)}/).filter { match in
                let refined = match.2.split(separator: ",").map(String.init)
                return match.1 == "CloudBackend" || refined.contains("CloudBackend")
                    || match.1 != "CloudDecorator" && !Set(refined).isDisjoint(with: facets)
            }.map { Contract(name: String($0.1), requirements: members($0.3)) }
        }
    }

    @Test("CloudDecorator refines each facet, and forwards each method of the contract and of the facets")
    func complete() throws {
        let (code, facets) = try Self.decorator()
        let forwarded = Self.members(code)
        let contracts = Self.contracts(facets)
        #expect(contracts.count == facets.count + 1)
        for contract in contracts {
            #expect(!contract.requirements.isEmpty, "no method of \(contract.name) was read")
            #expect(
                contract.name == "CloudBackend" || facets.contains(contract.name),
                "CloudDecorator has to refine \(contract.name)")
            for requirement in contract.requirements.subtracting(forwarded) {
                Issue.record("CloudDecorator has to forward \(requirement) of \(contract.name)")
            }
        }
    }

    @Test("a facet is asked for with facet(_:), because a cast goes past a decorator's answer")
    func casts() throws {
        let cast = try Regex("\\b(as\\?|is) \\(?any (\(Self.decorator().facets.joined(separator: "|")))\\b")
        for file in Repository.files(ending: [".swift"]) where !file.path.hasSuffix("/DecoratorTests.swift") {
            for (number, line) in file.lines.enumerated() where line.contains(" any ") && line.contains(cast) {
                Issue.record("\(file):\(number + 1) casts a cloud: \(line)")
            }
        }
    }
}
