package import CloudModel

/// The fields of a state in a message: `size`, and a field for each fact, under its name.
extension DocumentState: Codable {
    package init(from decoder: any Decoder) throws { try self.init(from: decoder) { (_, text: String) in text } }

    package func encode(to encoder: any Encoder) throws { try encode(to: encoder) { errorText($0) } }

    /// Decodes a state. Facts unknown to the message's writer have their defaults. The only required facts are whether
    /// the bytes are local, and whether they are in the cloud.
    ///
    /// - Parameter text: Returns the text of an error from its field, which is not a string in every message.
    init<Failure: Decodable>(from decoder: any Decoder, text: (DocumentFact, Failure) -> String) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        self.init(isUploaded: try fields.decode(Bool.self, forKey: Key(.isUploaded)))
        size = try fields.decode(UInt64.self, forKey: .size)
        for fact in DocumentFact.allCases {
            let key = Key(fact)
            switch fact.field {
            case .flag(let path):
                self[keyPath: path] = try fields.decodeIfPresent(Bool.self, forKey: key) ?? self[keyPath: path]
            case .percentage(let path):
                self[keyPath: path] = try fields.decodeIfPresent(Double.self, forKey: key) ?? self[keyPath: path]
            case .downloading(let path): self[keyPath: path] = try fields.decode(Downloading.self, forKey: key)
            case .error(let path):
                self[keyPath: path] = try fields.decodeIfPresent(Failure.self, forKey: key).map { text(fact, $0) }
            }
        }
    }

    /// - Parameter failure: Returns the value for the field of an error.
    func encode<Failure: Encodable>(to encoder: any Encoder, failure: (DocumentFact) -> Failure?) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(size, forKey: .size)
        for fact in DocumentFact.allCases {
            let key = Key(fact)
            switch fact.field {
            case .flag(let path): try fields.encode(self[keyPath: path], forKey: key)
            case .percentage(let path): try fields.encode(self[keyPath: path], forKey: key)
            case .downloading(let path): try fields.encode(self[keyPath: path], forKey: key)
            case .error: try fields.encodeIfPresent(failure(fact), forKey: key)
            }
        }
    }

    private func errorText(_ fact: DocumentFact) -> String? {
        if case .error(let path) = fact.field { self[keyPath: path] } else { nil }
    }

    private struct Key: CodingKey {
        static let size = Key("size")

        let stringValue: String
        var intValue: Int? { nil }

        init(_ fact: DocumentFact) { stringValue = fact.rawValue }
        private init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
