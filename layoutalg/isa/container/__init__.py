"""What holds machine code: ELF, code objects, metadata, kernel descriptors."""
