"""The subcommands, by what they are about. A module loads what it needs when it runs."""
