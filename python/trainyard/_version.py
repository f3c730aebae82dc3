"""The version, which is that of the yard that this package came with."""

VERSION = "0.1.0"
