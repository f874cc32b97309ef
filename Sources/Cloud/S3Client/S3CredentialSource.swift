package import HTTPTransport

/// Finds credentials in the usual places: our own file, the environment, the profiles of Amazon's tools.
///
/// The first place with any is used, complete or not: credentials from two places are never mixed.
package struct S3CredentialSource: Sendable {
    package struct Found: Hashable, Sendable {
        package let credentials: S3Credentials
        /// The region configured with them; nil if there is none.
        package let region: String?
        /// Their source, for messages.
        package let origin: String
    }

    private let file: String?
    private let environment: [String: String]
    private let home: String
    private let read: @Sendable (String) throws -> String?

    /// - Parameters:
    ///   - file: The path of a file written by ``S3CredentialFile``, or nil.
    ///   - home: The user's home directory, with `.aws`.
    ///   - read: The text of a file of Amazon's tools; nil if it does not exist.
    package init(
        file: String? = nil, environment: [String: String], home: String,
        read: @escaping @Sendable (String) throws -> String? = { try S3CredentialFile.text(of: $0) }
    ) {
        self.file = file
        self.environment = environment
        self.home = home
        self.read = read
    }

    /// - Throws: ``S3ConfigurationError``, also if there are no credentials anywhere: then it lists the places.
    package func find() throws(S3ConfigurationError) -> Found {
        if let file, let found = try S3CredentialFile(file).load() { return found }
        if let found = try fromEnvironment() { return found }
        return try fromProfile()
    }

    /// Returns the region of the environment or the profile.
    package func region() -> String? {
        if let region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") { return region }
        // An unreadable profile is reported by `find`, which is called for every request.
        guard let profile = try? profile() else { return nil }
        return profile["region"]
    }

    /// Returns the certificates accepted for a connection to the store: the system's, and those of a PEM file. That
    /// file is the one stored with our credentials, `AWS_CA_BUNDLE`, or the profile's `ca_bundle`, as for Amazon's
    /// tools.
    ///
    /// - Throws: If the file is unreadable, or has no certificate.
    package func trust() throws(S3ConfigurationError) -> ServerTrust {
        if let kept = file.map({ S3CredentialFile($0).authorityPath }),
            let text = try text(of: kept, { try S3CredentialFile.text(of: $0) })
        {
            return try Self.trust(text, from: kept)
        }
        // As in `region`, an unreadable profile is reported by `find`.
        guard let path = value("AWS_CA_BUNDLE") ?? (try? profile())?["ca_bundle"] else { return .system }
        guard let text = try text(of: path, read) else {
            throw S3ConfigurationError("There is no file \(path), which AWS_CA_BUNDLE or ca_bundle names.")
        }
        return try Self.trust(text, from: path)
    }

    private func text(
        of path: String, _ read: (String) throws -> String?
    ) throws(S3ConfigurationError) -> String? {
        do { return try read(path) } catch { throw S3ConfigurationError("\(path) cannot be read: \(error).") }
    }

    private static func trust(_ text: String, from path: String) throws(S3ConfigurationError) -> ServerTrust {
        do { return try ServerTrust(additional: text) } catch {
            throw S3ConfigurationError(
                "\(path) has no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----.")
        }
    }

    /// Returns an environment variable. An empty variable counts as unset.
    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    private func fromEnvironment() throws(S3ConfigurationError) -> Found? {
        let (key, secret) = (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY"))
        guard key != nil || secret != nil else { return nil }
        guard let key else { throw S3ConfigurationError("AWS_SECRET_ACCESS_KEY is set, and AWS_ACCESS_KEY_ID is not.") }
        guard let secret else {
            throw S3ConfigurationError("AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not.")
        }
        guard
            let credentials = S3Credentials(accessKey: key, secretKey: secret, sessionToken: value("AWS_SESSION_TOKEN"))
        else {
            throw S3ConfigurationError(
                "The credentials in AWS_ACCESS_KEY_ID and the related variables contain invalid characters. Set them again."
            )
        }
        return Found(credentials: credentials, region: region(), origin: "the environment")
    }

    private var profileName: String { value("AWS_PROFILE") ?? "default" }

    private func fromProfile() throws(S3ConfigurationError) -> Found {
        let profile = try profile()
        if profile["aws_access_key_id"] == nil, let other = Self.otherSources.first(where: { profile[$0] != nil }) {
            throw S3ConfigurationError(
                """
                The profile \(profileName) gets its credentials by \(other), which ubiquity does not support. Run \
                eval "$(aws configure export-credentials --format env)" first.
                """)
        }
        guard let credentials = try Self.credentials(in: profile, origin: "The profile \(profileName)") else {
            throw S3ConfigurationError(
                """
                There are no credentials: neither AWS_ACCESS_KEY_ID is set nor does the profile \(profileName) in \
                \(credentialsPath) or \(configPath) have any. Keep some with: ubiquity login s3://BUCKET/PREFIX.
                """)
        }
        return Found(credentials: credentials, region: region(), origin: "the profile \(profileName)")
    }

    /// Settings for temporary credentials that Amazon's tools get from programs and services.
    private static let otherSources = [
        "role_arn", "credential_process", "sso_session", "sso_start_url", "web_identity_token_file", "login_session",
    ]

    private var credentialsPath: String { value("AWS_SHARED_CREDENTIALS_FILE") ?? "\(home)/.aws/credentials" }
    private var configPath: String { value("AWS_CONFIG_FILE") ?? "\(home)/.aws/config" }

    /// Returns the profile's settings from both files; the credentials file takes precedence.
    private func profile() throws(S3ConfigurationError) -> [String: String] {
        let name = profileName
        let config = try document(configPath)
        let section = name == "default" ? config["profile default"] ?? config["default"] : config["profile \(name)"]
        let credentials = try document(credentialsPath)[name]
        guard section != nil || credentials != nil || value("AWS_PROFILE") == nil else {
            throw S3ConfigurationError("There is no profile \(name) in \(credentialsPath) or \(configPath).")
        }
        return (section ?? [:]).merging(credentials ?? [:]) { $1 }
    }

    private func document(_ path: String) throws(S3ConfigurationError) -> [String: [String: String]] {
        let text = try text(of: path, read)
        do throws(INIError) { return try INIDocument(parsing: text ?? "").sections } catch {
            throw S3ConfigurationError("\(path) cannot be read: line \(error.line) is neither a setting nor a section.")
        }
    }

    /// - Returns: Nil if the settings have no credentials at all.
    static func credentials(
        in settings: [String: String], origin: String
    ) throws(S3ConfigurationError) -> S3Credentials? {
        let (key, secret) = (settings["aws_access_key_id"], settings["aws_secret_access_key"])
        guard key != nil || secret != nil else { return nil }
        guard let key, let secret,
            let credentials = S3Credentials(
                accessKey: key, secretKey: secret, sessionToken: settings["aws_session_token"])
        else {
            throw S3ConfigurationError(
                "\(origin) has no usable pair of aws_access_key_id and aws_secret_access_key. Correct it there.")
        }
        return credentials
    }
}

/// An unusable bucket address or credential. The message has the reason and the remedy, never a credential.
package struct S3ConfigurationError: Error, Hashable, CustomStringConvertible {
    package let message: String
    package var description: String { message }

    init(_ message: String) { self.message = message }
}
