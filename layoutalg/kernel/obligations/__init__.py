"""What must hold of a kernel program, part by part; `layoutalg.kernel.verify` puts them together."""
