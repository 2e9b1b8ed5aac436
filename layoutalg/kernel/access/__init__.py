"""How a kernel reaches memory: addresses, and loads by matrix instructions."""
