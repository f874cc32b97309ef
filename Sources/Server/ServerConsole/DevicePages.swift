package import Basics
package import CloudModel
package import ContainerLog

/// A device as the console shows it.
package struct ShownDevice: Sendable {
    package let number: Int64
    package let name: String
    package let created: Timestamp
    package let seen: Timestamp
    package let isRevoked: Bool
    package let isResetAsked: Bool
    package let isReadOnly: Bool
    /// Whether it has read more of a log than the server has.
    package let isAhead: Bool
    /// When the device's access ends; nil: when it is revoked.
    package let expires: Timestamp?
    /// The states using its token, if there are several or the only one has a different name.
    package let senders: [ShownSender]

    package init(
        number: Int64, name: String, created: Timestamp, seen: Timestamp, isRevoked: Bool, isResetAsked: Bool,
        isReadOnly: Bool = false, isAhead: Bool = false, expires: Timestamp? = nil, senders: [ShownSender] = []
    ) {
        self.number = number
        self.name = name
        self.created = created
        self.seen = seen
        self.isRevoked = isRevoked
        self.isResetAsked = isResetAsked
        self.isReadOnly = isReadOnly
        self.isAhead = isAhead
        self.expires = expires
        self.senders = senders
    }
}

/// A device's state, i.e. a mount of the device.
package struct ShownSender: Sendable {
    package let id: DeviceID
    package let name: String
    package let address: String
    package let seen: Timestamp

    package init(id: DeviceID, name: String, address: String, seen: Timestamp) {
        self.id = id
        self.name = name
        self.address = address
        self.seen = seen
    }
}

/// A signed-in browser.
package struct ShownBrowser: Sendable {
    package let number: Int64
    package let name: String
    package let seen: Timestamp
    package let isThis: Bool

    package init(number: Int64, name: String, seen: Timestamp, isThis: Bool) {
        self.number = number
        self.name = name
        self.seen = seen
        self.isThis = isThis
    }
}

/// A device's transfer under way.
package struct ShownTransfer: Sendable {
    package let device: String
    package let container: ContainerName
    package let isUpload: Bool
    /// The bytes of the last minute.
    package let bytes: UInt64
    package let last: Timestamp

    package init(device: String, container: ContainerName, isUpload: Bool, bytes: UInt64, last: Timestamp) {
        self.device = device
        self.container = container
        self.isUpload = isUpload
        self.bytes = bytes
        self.last = last
    }
}

extension PageFrame {
    /// The page with devices and browsers. `browsers` are the most recent of `browserCount`.
    package func devicesPage(
        _ devices: [ShownDevice], page number: ListPage, _ browsers: [ShownBrowser], of browserCount: Int
    ) -> HTML {
        let list: HTML =
            devices.isEmpty
            ? "<p class=\"empty\">No device is signed in.</p>"
            : """
            <table><thead><tr><th scope="col">Name</th><th scope="col">Signed in \(Shown.zone)</th><th scope="col">Last contact \(Shown.zone)</th>\
            <th scope="col"><span class="hidden">What to do</span></th></tr></thead><tbody>\(devices.map(row))</tbody></table>
            """
        return page(
            "Devices",
            """
            <h1>Devices</h1>
            \(list)
            \(pages(number))
            \(devices.contains { $0.senders.count > 1 } ? sharingHint : .empty)
            \(addDevice)
            <section aria-labelledby="browsers"><h2 id="browsers">Browsers</h2>
            <table><thead><tr><th scope="col">Browser</th><th scope="col">Last contact \(Shown.zone)</th>\
            <th scope="col"><span class="hidden">What to do</span></th></tr></thead><tbody>\(browsers.map(row))</tbody></table>
            \(browserCount > browsers.count ? "<p>These are the newest \(browsers.count) of \(browserCount).</p>" : HTML.empty)</section>
            """, tab: .devices)
    }

    private var sharingHint: HTML {
        """
        <p class="hint">Several states use the sign-in of one device. Mounts of one user share a sign-in; if these are such mounts, nothing \
        is to be done. If they are copies of one machine, create a code below, and sign one of them in again with it \
        (<code>ubiquity login</code>): each can then be revoked by itself.</p>
        """
    }

    private func row(_ sender: ShownSender) -> HTML {
        """
        <br><span class="hint">\(Shown.visible(sender.name)) (\(Shown.visible("\(sender.id)"))), from \(Shown.visible(sender.address)), \
        last contact \(Shown.time(sender.seen))</span>
        """
    }

    private var addDevice: HTML {
        """
        <section aria-labelledby="add"><h2 id="add">Add a device</h2>
        <form class="card" method="post" action="\(url("devices/code"))">\(token)
        <label for="scope">It may</label><select id="scope" name="scope">
        <option value="full">read and change everything</option><option value="read">read only</option></select>
        <label for="expires">Its access ends</label><select id="expires" name="expires">
        <option value="">when it is revoked</option><option value="1d">after a day</option>\
        <option value="1w">after a week</option><option value="30d">after 30 days</option>\
        <option value="365d">after a year</option></select>
        <button>Create a sign-in code</button></form></section>
        """
    }

    private func row(_ device: ShownDevice) -> HTML {
        let actions: HTML
        if device.isRevoked {
            actions = "<span class=\"mark\">access ended</span>"
        } else {
            let reset: HTML =
                device.isResetAsked
                ? "<span class=\"mark\">reset requested</span>"
                : "<a class=\"button\" href=\"\(url("devices/\(device.number)/reset"))\">Reset</a>"
            actions = "\(reset) <a class=\"button grave\" href=\"\(url("devices/\(device.number)/revoke"))\">Revoke</a>"
        }
        let scope: HTML? = device.isReadOnly ? " <span class=\"mark\">read only</span>" : nil
        let ahead: HTML? = device.isAhead ? " <span class=\"mark\">ahead of the server</span>" : nil
        let end: HTML? = device.expires.map { " <span class=\"hint\">until \(Shown.time($0))</span>" }
        return """
            <tr><th scope="row"><bdi>\(Shown.visible(device.name))</bdi> <span class="hint">no. \(device.number)</span>\(scope)\(ahead)\(end)\(device.senders.map(row))</th>
            <td data-label="Signed in">\(Shown.time(device.created))</td>
            <td data-label="Last contact">\(Shown.time(device.seen))</td><td class="row">\(actions)</td></tr>
            """
    }

    private func row(_ browser: ShownBrowser) -> HTML {
        let action: HTML =
            browser.isThis
            ? "<span class=\"mark\">this one</span>" : button("Sign out", to: "browsers/\(browser.number)/sign-out")
        return """
            <tr><th scope="row"><bdi>\(Shown.visible(browser.name))</bdi></th>
            <td data-label="Last contact">\(Shown.time(browser.seen))</td><td class="row">\(action)</td></tr>
            """
    }

    package func transfersPage(
        _ transfers: [ShownTransfer], announced: [(container: ContainerName, item: CloudItem)]
    ) -> HTML {
        page(
            "Transfers",
            """
            <h1>Transfers</h1>
            <section aria-labelledby="now"><h2 id="now">In the last minute</h2>
            \(transfers.isEmpty ? "<p class=\"empty\">There are no transfers.</p>" : moving(transfers))</section>
            <section aria-labelledby="announced"><h2 id="announced">Announced, not uploaded yet</h2>
            \(announced.isEmpty ? "<p class=\"empty\">All documents are uploaded.</p>" : waiting(announced))</section>
            """, tab: .transfers)
    }

    private func moving(_ transfers: [ShownTransfer]) -> HTML {
        let rows = transfers.map { transfer -> HTML in
            """
            <tr><th scope="row"><bdi>\(Shown.visible(transfer.device))</bdi></th>
            <td data-label="What">\(transfer.isUpload ? "uploads" : "downloads")</td>
            <td data-label="Container">\(transfer.container.text)</td>
            <td data-label="Bytes" class="number">\(Shown.size(transfer.bytes))</td></tr>
            """
        }
        return """
            <table><thead><tr><th scope="col">Device</th><th scope="col">What</th><th scope="col">Container</th>\
            <th scope="col" class="number">Bytes</th></tr></thead><tbody>\(rows)</tbody></table>
            """
    }

    private func waiting(_ announced: [(container: ContainerName, item: CloudItem)]) -> HTML {
        let rows = announced.map { container, item -> HTML in
            """
            <tr><th scope="row"><a href="\(itemURL(item, container))">\(Shown.icon(.file)) \(Shown.name(item.name))</a></th>
            <td data-label="Container">\(container.text)</td><td data-label="From">\(Shown.visible(item.authorName))</td>
            <td data-label="Size" class="number">\(item.body.content.map { Shown.size($0.size) })</td></tr>
            """
        }
        return """
            <table><thead><tr><th scope="col">Document</th><th scope="col">Container</th><th scope="col">From</th>\
            <th scope="col" class="number">Size</th></tr></thead><tbody>\(rows)</tbody></table>
            """
    }
}
