"""The fields of a projection, with those that it takes over from its bases; and figures that are others by name."""

from __future__ import annotations

from reckon.language.quantity import Quantity
from reckon.model.bases import Based

# What the steps of a projection come from.
COUNTS = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs", "parallel_environments")


class Fields(Based):
    """What a projection says, by itself or through its bases; addresses are those inside the project."""

    kind = "projections"

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.one.projections[self.name].title or self.name)

    @property
    def in_all(self) -> bool:
        """Whether steps are stated in all, and not nearer by than that what they come from."""
        steps = self.holder("steps")
        return bool(steps) and self.holder(*COUNTS, "steps") == steps

    @property
    def measurements(self) -> tuple[str, ...]:
        """The measurements that it projects, the one first that speed-ups are reckoned against."""
        named = self.value("measurements") or ()
        return tuple(str(name) for name in named if name in self.one.measurements)


def same(one: object, other: object) -> bool:
    """Whether two fields hold the same single number."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return False
    return one.value.exact and other.value.exact and one.value.use == other.value.use


def below(one: object, other: object) -> bool:
    """Whether a field holds a single number that is less than that of another."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return False
    return one.value.exact and other.value.exact and (one.value.use or 0) < (other.value.use or 0)
