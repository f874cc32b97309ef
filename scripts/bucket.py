"""Signed requests to an S3 bucket, with the standard library alone, for the scripts that test real engines.

The signature is AWS Signature Version 4 over the whole request, as in the "AWS Signature Version 4 for API Requests" chapter of the
IAM user guide. Requests are in path style, and are not retried.
"""

import collections
import datetime
import hashlib
import hmac
import http.client
import urllib.parse

Response = collections.namedtuple("Response", "status headers body")


class Bucket:
    """A bucket at an endpoint `http(s)://HOST[:PORT]`, used with one key pair."""

    def __init__(self, endpoint, name, access, secret, region):
        self.endpoint, self.host = endpoint, urllib.parse.urlsplit(endpoint).netloc
        self.connection = http.client.HTTPSConnection if endpoint.startswith("https:") else http.client.HTTPConnection
        self.name, self.access, self.secret, self.region = name, access, secret, region
        self.clockError = datetime.timedelta()
        """What this client's clock is ahead of the true time."""

    @classmethod
    def at(cls, url, environment):
        """Returns the bucket of `s3://BUCKET/PREFIX?endpoint=…&region=…`, which needs both settings, with the keys of the environment."""
        parts = urllib.parse.urlsplit(url)
        query = dict(urllib.parse.parse_qsl(parts.query))
        return cls(query["endpoint"], parts.netloc, environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"], query["region"])

    def request(self, method, key="", query=None, body=b"", headers=None, digest=None, connected=None, timeout=30):
        """Sends one request on a connection of its own, after calling `connected`. `digest` is the SHA-256 to declare for the body.

        Raises `OSError` or `http.client.HTTPException` if there is no response.
        """
        path = urllib.parse.quote(f"/{self.name}/{key}" if key else f"/{self.name}")
        search = "&".join(f"{urllib.parse.quote(name, safe='')}={urllib.parse.quote(value, safe='')}"
                          for name, value in sorted((query or {}).items()))
        sent = self.signed(method, path, search, digest or hashlib.sha256(body).hexdigest(), headers or {})
        connection = self.connection(self.host, timeout=timeout)
        try:
            connection.connect()
            if connected:
                connected()
            connection.request(method, f"{path}?{search}" if search else path, body, sent)
            response = connection.getresponse()
            return Response(response.status, response.headers, response.read())
        finally:
            connection.close()

    def signed(self, method, path, search, digest, headers):
        now = datetime.datetime.now(datetime.timezone.utc) + self.clockError
        time, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        signed = {"host": self.host, "x-amz-content-sha256": digest, "x-amz-date": time}
        names = ";".join(sorted(signed))
        lines = [method, path, search, *(f"{name}:{signed[name]}" for name in sorted(signed)), "", names, digest]
        scope = f"{day}/{self.region}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256("\n".join(lines).encode()).hexdigest()])
        key = f"AWS4{self.secret}".encode()
        for part in [*scope.split("/"), text]:
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        authorization = f"AWS4-HMAC-SHA256 Credential={self.access}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
        return headers | signed | {"Authorization": authorization}

    def create(self):
        return self.request("PUT")

    def put(self, key, body, **options):
        return self.request("PUT", key, body=body, **options)

    def get(self, key, **options):
        return self.request("GET", key, **options)
