/// Splits a statement of SQL into its words, as SQLite's tokenizer does (sqlite.org/lang_keywords.html, sqlite.org/lang_comment.html).
enum SQLWords {
    /// Returns the words outside of quotes and comments, in upper case.
    ///
    /// - Returns: Nil if a quote is not closed, or if a semicolon or a NUL ends the statement before the text's end.
    static func words(of sql: String) -> [String]? {
        tokens(of: sql)?.compactMap { if case .word(let word) = $0 { word } else { nil } }
    }

    enum Token: Hashable {
        /// A bare word or a number, in upper case.
        case word(String)
        /// A text or a name in quotes.
        case quoted
        case symbol(UInt8)
    }

    /// Returns the words, quotes and remaining characters outside of comments and white space; nil as for
    /// ``words(of:)``.
    static func tokens(of sql: String) -> [Token]? {
        let bytes = Array(sql.utf8)
        var tokens: [Token] = []
        var place = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                guard let end = close(bytes, from: place, quote: bytes[place]) else { return nil }
                tokens.append(.quoted)
                place = end
            case UInt8(ascii: "["):
                guard let end = bytes[place...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
                tokens.append(.quoted)
                place = end + 1
            case UInt8(ascii: "-") where follows(bytes, place, UInt8(ascii: "-")):
                place = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case UInt8(ascii: "/") where follows(bytes, place, UInt8(ascii: "*")):
                place = endOfComment(bytes, from: place + 2)
            case UInt8(ascii: ";"), 0: return nil
            case let byte where isWord(byte):
                let end = bytes[place...].firstIndex { !isWord($0) } ?? bytes.count
                tokens.append(.word(String(decoding: bytes[place..<end], as: UTF8.self).uppercased()))
                place = end
            case let byte:
                if byte > 0x20 { tokens.append(.symbol(byte)) }
                place += 1
            }
        }
        return tokens
    }

    private static func follows(_ bytes: [UInt8], _ place: Int, _ byte: UInt8) -> Bool {
        place + 1 < bytes.count && bytes[place + 1] == byte
    }

    /// Returns the position after a text's closing quote; a doubled quote is part of the text.
    private static func close(_ bytes: [UInt8], from start: Int, quote: UInt8) -> Int? {
        var place = start + 1
        while place < bytes.count {
            if bytes[place] == quote {
                guard follows(bytes, place, quote) else { return place + 1 }
                place += 1
            }
            place += 1
        }
        return nil
    }

    private static func endOfComment(_ bytes: [UInt8], from start: Int) -> Int {
        var place = start
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "*"), follows(bytes, place, UInt8(ascii: "/")) { return place + 2 }
            place += 1
        }
        // SQLite reads an unclosed comment to the end of the text.
        return bytes.count
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }
}
