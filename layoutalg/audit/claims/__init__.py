"""The claims of an audit."""
