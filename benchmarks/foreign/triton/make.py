"""Compiles Triton kernels where Triton is installed: `python make.py JOBS.json`; no GPU is needed.

Of each job there is a code object, and beside it what a launch must know of it, in `NAME.json`: the kernel's name, the
threads of a block, the bytes of LDS.  What was compiled from the same is not compiled again.
"""

import hashlib
import importlib
import json
import os
import re
import sys
from pathlib import Path

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

LANES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32, "gfx1250": 32}
TYPE = re.compile(r"\*?(i|u|fp|bf)\d+(e\d+m\d+\w*|e\d+b\d+)?|\*?fp8\w+")


def source_of(function, signature):
    """Triton's source of a function: types by name, `:16` where a value is a multiple of 16, all else a constant."""
    types, constants, attributes = {}, {}, {}
    for place, (name, said) in enumerate(signature.items()):
        kind, _, multiple = said.partition(":") if isinstance(said, str) else (said, "", "")
        if isinstance(kind, str) and TYPE.fullmatch(kind):
            types[name] = kind
            if multiple:
                attributes[(place,)] = [["tt.divisibility", int(multiple)]]
        else:
            types[name] = "constexpr"
            constants[(place,)] = eval(said, {"tl": tl}) if isinstance(said, str) else said
    missing = [one for one in function.arg_names if one not in signature]
    if list(signature) != [one for one in function.arg_names if one not in missing] or missing:
        raise SystemExit(f"{function.__name__}: has {function.arg_names}")
    return ASTSource(function, types, constants, attributes)


def made(job):
    """Compiles a job for its target."""
    sys.path.insert(0, job["folder"])
    text = "".join(path.read_text() for path in sorted(Path(job["folder"]).glob("*.py")))
    stamp = hashlib.sha256((text + json.dumps(job, sort_keys=True) + triton.__version__).encode()).hexdigest()
    out = Path(job["out"])
    about = out.with_suffix(".json")
    if about.exists() and json.loads(about.read_text())["of"] == stamp:
        return
    function = getattr(importlib.import_module(job["module"]), job["function"])
    lanes = LANES[job["target"]]
    target = GPUTarget("hip", job["target"], lanes)
    built = triton.compile(source_of(function, job["signature"]), target, job["options"])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(built.asm["hsaco"])
    (out.with_suffix(".s")).write_text(built.asm["amdgcn"])
    threads = built.metadata.num_warps * lanes
    known = {"kernel": built.metadata.name, "threads": threads, "lds": built.metadata.shared, "of": stamp}
    about.write_text(json.dumps(known))
    print(job["name"], job["target"], built.metadata.shared, len(built.asm["hsaco"]), flush=True)


def main(jobs):
    """Compiles all jobs, each in a process of its own, for their modules may have one name."""
    for job in jobs:
        if child := os.fork():
            os.waitpid(child, 0)
            continue
        try:
            made(job)
        except BaseException as error:
            print(f"{job['name']} {job['target']}: {type(error).__name__}: {str(error)[-1500:]}", flush=True)
        os._exit(0)


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
