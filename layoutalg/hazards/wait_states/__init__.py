"""Wait states that software must leave between two instructions: AMD's tables (`rules`), and what breaks them."""
