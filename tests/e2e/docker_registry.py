"""Debian's docker-registry, and images for it: OCI layouts made here, sent as they are or converted by skopeo."""
import gzip
import hashlib
import http.client
import io
import json
import socket
import subprocess
import tarfile

from update_service import eventually, write

OCI = "application/vnd.oci.image."


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            data = content.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Layout:
    """An OCI layout on disk with one tag."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "blobs" / "sha256").mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')

    def blob(self, data, media_type):
        digest = digest_of(data)
        (self.folder / "blobs" / "sha256" / digest[7:]).write_bytes(data)
        return {"mediaType": media_type, "digest": digest, "size": len(data)}

    def image(self, layers, arch):
        tars = [tar_of(files) for files in layers]
        described = [self.blob(gzip.compress(tar, mtime=0), OCI + "layer.v1.tar+gzip") for tar in tars]
        config = {
            "architecture": arch,
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [digest_of(tar) for tar in tars]},
            "history": [{"created_by": f"layer {i}"} for i in range(len(tars))],
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": OCI + "manifest.v1+json",
            "config": self.blob(json.dumps(config).encode(), OCI + "config.v1+json"),
            "layers": described,
        }
        return {**self.blob(json.dumps(manifest).encode(), OCI + "manifest.v1+json"), "platform": {"os": "linux", "architecture": arch}}

    def index(self, images):
        document = {"schemaVersion": 2, "mediaType": OCI + "index.v1+json", "manifests": images}
        return self.blob(json.dumps(document).encode(), OCI + "index.v1+json")

    def name(self, top):
        entry = {**top, "annotations": {"org.opencontainers.image.ref.name": "it"}}
        (self.folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))


class Registry:
    def __init__(self, folder, more=""):
        self.folder = folder
        folder.mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.host = f"127.0.0.1:{probe.getsockname()[1]}"
        (folder / "config.yml").write_text(
            f"version: 0.1\nlog: {{level: error}}\nstorage:\n  filesystem: {{rootdirectory: {folder / 'storage'}}}\n  delete: {{enabled: true}}\n"
            f"http:\n  addr: {self.host}\n{more}"
        )
        self.process = None
        self.count = 0
        self.copy_flags = ["--dest-tls-verify=false"]
        self.needs_skopeo = False

    def start(self):
        log = open(self.folder / "registry.log", "ab")
        self.process = subprocess.Popen(["docker-registry", "serve", self.folder / "config.yml"], stdout=log, stderr=log)
        log.close()
        eventually(self.is_up, "the registry listens")
        return self

    def is_up(self):
        host, port = self.host.split(":")
        with socket.create_connection((host, int(port)), timeout=5):
            return True

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait(60)
        self.process = None

    def push(self, name, layers, arch="amd64", docker=False):
        return self.copy(name, lambda layout: layout.image(layers, arch), docker)

    def push_index(self, name, images, docker=False):
        return self.copy(name, lambda layout: layout.index([layout.image(layers, arch) for arch, layers in images.items()]), docker)

    def copy(self, name, make, docker):
        self.count += 1
        layout = Layout(self.folder / f"layout-{self.count}")
        top = make(layout)
        layout.name(top)
        if not docker and not self.needs_skopeo:
            self.upload(name, layout, top)
            return top["digest"]
        done = subprocess.run(
            [
                "skopeo",
                "--insecure-policy",
                "copy",
                "--quiet",
                "--all",
                *(["--format", "v2s2"] if docker else []),
                *self.copy_flags,
                f"oci:{layout.folder}:it",
                f"docker://{self.host}/{name}",
            ],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise AssertionError(f"skopeo: {done.stderr}")

    def upload(self, name, layout, top):
        """The layout as it is, by the protocol itself: sooner done than by skopeo, which is for what has to be converted."""
        repository, tag = name.split(":")
        address, port = self.host.split(":")
        connection = http.client.HTTPConnection(address, int(port), timeout=60)

        def send(method, target, body=b"", headers=None):
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            answer.read()
            if answer.status not in (201, 202):
                raise AssertionError(f"{method} {target}: {answer.status}")
            return answer.headers.get("Location")

        def send_manifest(entry, reference):
            document = json.loads((layout.folder / "blobs" / "sha256" / entry["digest"][7:]).read_text())
            for image in document.get("manifests", []):
                send_manifest(image, image["digest"])
            for blob in [document["config"], *document["layers"]] if "layers" in document else []:
                where = send("POST", f"/v2/{repository}/blobs/uploads/")
                where = where.removeprefix(f"http://{self.host}")
                send(
                    "PUT",
                    f"{where}{'&' if '?' in where else '?'}digest={blob['digest']}",
                    (layout.folder / "blobs" / "sha256" / blob["digest"][7:]).read_bytes(),
                )
            send(
                "PUT",
                f"/v2/{repository}/manifests/{reference}",
                (layout.folder / "blobs" / "sha256" / entry["digest"][7:]).read_bytes(),
                {"Content-Type": entry["mediaType"]},
            )

        send_manifest(top, tag)
        connection.close()

    # What lies on the registry's disk, for those who lie.
    def storage(self):
        return self.folder / "storage" / "docker" / "registry" / "v2"

    def tag_link(self, repository, tag):
        return self.storage() / "repositories" / repository / "_manifests" / "tags" / tag / "current" / "link"

    def digest(self, repository, tag):
        return self.tag_link(repository, tag).read_text()

    def blob_file(self, digest):
        return self.storage() / "blobs" / "sha256" / digest[7:9] / digest[7:] / "data"

    def manifest(self, repository, tag):
        return json.loads(self.blob_file(self.digest(repository, tag)).read_text())

    def dangling_tag(self, repository, tag):
        """A name for what is not there."""
        write(self.tag_link(repository, tag), "sha256:" + hashlib.sha256(tag.encode()).hexdigest())
