"""What loaders take of a code object, read from its bytes by a reader of its own: evidence beside `layoutalg`'s.

It follows ROCr's loader (ROCR-Runtime, `executable.cpp`, `amd_hsa_code.cpp`) without refusing anything: segments are
copied in the order of their headers, symbols come from the last table of each kind, a descriptor's sizes from its
section, relocations from sections, metadata from the first note of segments, else of sections.
"""

import struct

import msgpack

#: Bits of the descriptor that say how the machine does a thing, not what: NaN modes, scheduling, prefetch; and half a
#: granule of scalar registers, which are allocated in whole ones, or their count, where every wave has all.
HOW = {
    "cdna": [(390, 390), (405, 405), (407, 407)],
    "cdna1": [(390, 390), (405, 405), (407, 407)],
    "rdna2": [(390, 393), (405, 405), (407, 407), (413, 415)],
    "rdna3": [(390, 393), (405, 405), (407, 407), (413, 415), (356, 361)],
    "rdna4": [(390, 393), (413, 415), (356, 363), (365, 365)],
    "cdna5": [(390, 393), (414, 415), (356, 363), (365, 365)],
}


def rows(payload, at, count, format):
    """A table of structures."""
    return [struct.unpack_from(format, payload, at + k * struct.calcsize(format)) for k in range(count)]


def headers(payload):
    programs_at, sections_at = struct.unpack_from("<QQ", payload, 32)
    _, programs, _, sections = struct.unpack_from("<HHHH", payload, 54)
    return rows(payload, programs_at, programs, "<IIQQQQQQ"), rows(payload, sections_at, sections, "<IIQQQQIIQQ")


def memory(payload, programs):
    """What is at each address, a dictionary: the last segment wins."""
    held = {}
    for kind, _, offset, address, _, file_size, memory_size, _ in programs:
        if kind == 1:
            data = payload[offset : offset + file_size].ljust(min(memory_size, 1 << 20), b"\0")
            held.update(zip(range(address, address + len(data)), data, strict=True))
    return held


def at(held, address, size):
    return bytes(held.get(address + k, 0) for k in range(size))


def found(payload, sections, kind, name):
    """The symbols of a name in the last table of a kind: their descriptor's address and section."""
    table = [section for section in sections if section[1] == kind][-1:]
    result = []
    for section in table:
        names = sections[section[6]]
        strings = payload[names[4] : names[4] + names[5]]
        for word, info, _, index, value, _ in rows(payload, section[4], section[5] // 24, "<IBBHQQ"):
            if strings[word:].split(b"\0")[0] == name.encode() and index and info & 15 == 1 and info >> 4:
                result.append((value, index))
    return result


def note(payload, programs, sections):
    """The metadata."""
    places = [(h[2], h[5], h[7]) for h in programs if h[0] == 4] + [(s[4], s[5], s[8]) for s in sections if s[1] == 7]
    for offset, size, alignment in places:
        data, step, place = payload[offset : offset + size], max(4, alignment), 0
        while place + 12 <= len(data):
            owner, length, kind = struct.unpack_from("<III", data, place)
            start = -(-(place + 12 + owner) // step) * step
            if kind == 32 and data[place + 12 :][:owner] == b"AMDGPU\0":
                return msgpack.unpackb(data[start : start + length])
            place = -(-(start + length) // step) * step
    raise ValueError("no note")


def view(payload, name, length, architecture):
    """What loaders take that decides what a kernel does; `length` is that of its code."""
    programs, sections = headers(payload)
    held, document = memory(payload, programs), note(payload, programs, sections)
    (entry,) = [one for one in document["amdhsa.kernels"] if one[".name"] == name]
    descriptors = [one for kind in (2, 11) for one in found(payload, sections, kind, entry[".symbol"])]
    address, section = descriptors[0]
    descriptor = at(held, address, 64)
    whole = int.from_bytes(descriptor, "little")
    for first, last in HOW[architecture]:
        whole &= ~(((1 << last - first + 1) - 1) << first)
    if not descriptor[8:12].strip(b"\0"):  # left to the metadata
        whole |= entry[".kernarg_segment_size"] << 64
    start = address + int.from_bytes(descriptor[16:24], "little", signed=True)
    home = sections[section]
    return {
        "processor": (payload[7], struct.unpack_from("<I", payload, 48)[0] & 0xFFF),
        "descriptors": {one[0] for one in descriptors} == {address},
        "in section": payload[home[4] + address - home[3] :][:64] == descriptor,
        "relocations": sum(one[5] for one in sections if one[1] in (4, 9, 19)),
        "code": at(held, start, length),
        "arguments": [[one.get(f".{key}") for key in ("offset", "size", "value_kind")] for one in entry[".args"]],
        "descriptor": whole,
        "block": [entry[".max_flat_workgroup_size"], entry.get(".reqd_workgroup_size", [])],
        "said": [entry[f".{key}"] for key in ("group_segment_fixed_size", "private_segment_fixed_size",
                                              "kernarg_segment_size", "wavefront_size")],
        "uses": [[one.get(f".{key}", "") for key in ("address_space", "access", "actual_access")]
                 for one in entry[".args"]],
    }  # fmt: skip
