"""Messages of daemons, for tests."""


def status(**fields):
    """The state of a mount as `status` has it, with these fields."""
    cloud = {"url": "file:///cloud", "state": "online", **fields.pop("cloud", {})}
    queue_fields = {"uploads": 0, "downloads": 0, "pendingItems": 0, "pendingBytes": 0, **fields.pop("queue", {})}
    return {
        "mount": "/m", "pid": 1, "state": "/s", "device": {"name": "d", "id": "1"}, "cloud": cloud, "queue": queue_fields,
        "transfers": [], "errors": [], "containers": ["CloudDocs"], "conflicts": 0, "cache": {"bytes": 0}, **fields,
    }


def conflict(path, *versions):
    sides = [
        {"version": each, "path": f"{path} {each}", "device": "d", "modified": "2026-11-21T14:03:12.500Z", "size": 1}
        for each in versions
    ]
    return {"path": path, "current": {**sides[0], "version": "9.9", "path": path}, "versions": sides}
