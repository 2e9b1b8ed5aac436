"""LEGO's own question, asked by a Python that has it: has a column read of the swizzled tile bank conflicts?

LEGO 0.2.5 is on PyPI (`lego-layout`, for Python 3.12 and later) and has no question of bijectivity: it decides
coalescing and bank conflicts of one index of its MLIR dialect, by z3.  This file is run by that Python, alone, and
prints what it saw as JSON: for each tile the median time of the pass with the check and without it, and what the check
says of the tile.  That a map which is no bijection is taken is asked last: this file ends in an error where it is not.
"""

import json
import statistics
import sys
import time
from importlib.metadata import version

MAP = """
func.func @tile(%lane: index {{lego.thread_id}}) -> index {{
  %m = arith.constant {m} : index
  %k = arith.constant {k} : index
  %tile = lego.gen_p [%m, %k]
    apply(%i: index, %j: index) {{
      %pack = arith.constant 8 : index
      %by = arith.constant {by} : index
      %row = arith.constant {k} : index
      %block = arith.divui %j, %pack : index
      %element = arith.remui %j, %pack : index
      %turn = arith.remui %i, %pack : index
      %turned = arith.xori %block, %turn : index
      %inner = arith.muli %turned, %pack : index
      %outer = arith.muli %i, %row : index
      %start = arith.addi %outer, %inner : index
      %whole = arith.addi %start, %element : index
      %said = arith.divui %whole, %by : index
      lego.yield %said : index
    }} inv(%flat: index) {{
      %width = arith.constant {k} : index
      %i = arith.divui %flat, %width : index
      %j = arith.remui %flat, %width : index
      lego.yield %i, %j : index, index
    }} : !lego.layout
  %order = lego.order_by(%tile) : !lego.layout
  %layout = lego.group_by [%m, %k](%order) : !lego.layout
  %zero = arith.constant 0 : index
  %offset = lego.apply %layout(%lane, %zero) : !lego.layout
  {check}
  return %offset : index
}}"""
CHECK = "lego.check %offset {bank_conflict_free, warp_size = 32 : i64, num_banks = 32 : i64}"


def main() -> None:
    """The tiles are the arguments: 128x64 …"""
    from lego.backend.dialects.lego_dialect import register
    from lego.mlir.ir import Context, Module
    from lego.mlir.passmanager import PassManager

    context = Context()
    register(context)
    said: list[str] = []

    def heard(diagnostic: object) -> bool:
        said.append(str(diagnostic))
        return True

    context.attach_diagnostic_handler(heard)

    def lowered(text: str) -> float:
        with context:
            module, passes = Module.parse(text), PassManager.parse("builtin.module(lego-lower)")
            start = time.perf_counter()
            passes.run(module.operation)
            return time.perf_counter() - start

    def median_us(text: str) -> float:
        return statistics.median(lowered(text) for _ in range(9)) * 1e6

    tiles = [tuple(map(int, tile.split("x"))) for tile in sys.argv[1:]]
    with_check, without = [], []
    for m, k in tiles:
        with_check.append(median_us(MAP.format(m=m, k=k, by=1, check=CHECK)))
        without.append(median_us(MAP.format(m=m, k=k, by=1, check="")))
    of_tile = sorted(set(said))
    lowered(MAP.format(m=128, k=64, by=8, check=""))  # raises where LEGO refuses it
    found = {"version": version("lego-layout"), "checked": with_check, "lowered": without, "said": of_tile}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
