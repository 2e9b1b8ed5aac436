"""Bundles as clang's offload bundler writes them, and a host's library that holds some."""

import struct
import sys
import zlib
from importlib import import_module

PLAIN = b"__CLANG_OFFLOAD_BUNDLE__"


def bundled(entries, alignment=4096):
    """A bundle of (name, bytes) pairs."""
    place = len(PLAIN) + 8 + sum(24 + len(name) for name, _ in entries)
    header, body = PLAIN + struct.pack("<Q", len(entries)), b""
    for name, data in entries:
        gap = -(place + len(body)) % alignment
        header += struct.pack("<QQQ", place + len(body) + gap, len(data), len(name)) + name.encode()
        body += bytes(gap) + data
    return header + body


def compressed(bundle, version=2, method=0):
    """The bundle compressed by zlib or zstd, with the header of a version."""
    packed = zstd().compress(bundle) if method else zlib.compress(bundle)
    form = {1: "<IQ", 2: "<IIQ", 3: "<QQQ"}[version]
    whole = 8 + struct.calcsize(form) + len(packed)
    sizes = (len(bundle),) if version == 1 else (whole, len(bundle))
    return b"CCOB" + struct.pack("<HH", version, method) + struct.pack(form, *sizes, 0) + packed


def zstd():
    """The module that packs by zstd."""
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def library(fatbin, section=b".hip_fatbin"):
    """An ELF file of the host with one section, and the names of sections."""
    names = b"\0" + section + b"\0.shstrtab\0"
    body = names + bytes(-(64 + len(names)) % 4096)
    at, table = 64 + len(body), 64 + len(body) + len(fatbin)
    rows = [(0,) * 10, (1, 1, 2, 0, at, len(fatbin), 0, 0, 4096, 0),
            (2 + len(section), 3, 0, 0, 64, len(names), 0, 0, 1, 0)]  # fmt: skip
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, len(rows), 2)
    return header + body + fatbin + b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)
