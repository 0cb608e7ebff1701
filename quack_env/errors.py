"""The errors that the packages raise on purpose: one line each, with what was given and what is allowed."""


def install(extra: str) -> str:
    """The command that installs an extra, for messages: the package comes as a clone, and stands in no registry."""
    return f'pip install -e ".[{extra}]" in the clone'


class QuackError(Exception):
    """Base of every error that the project raises on purpose."""


class QuackWarning(UserWarning):
    """Something that is allowed, and probably not meant; the command line shows it as one line."""


class ConfigError(QuackError, ValueError):
    """A setting of the game is unknown, of the wrong type or out of its bounds."""


class MapError(ConfigError):
    """A map, or a question about a map, names rooms or corridors that cannot be."""


class IllegalActionError(QuackError, ValueError):
    """An action is not in the legal set of the agent that is to act; the game is unchanged."""


class NotResetError(QuackError, AttributeError):
    """Something was asked of an environment before its first `reset`."""


class TrajectoryError(QuackError, ValueError):
    """A recorded game is missing, damaged, or of a version that this release cannot read."""
