"""How compilers write what machines have no instruction for."""
