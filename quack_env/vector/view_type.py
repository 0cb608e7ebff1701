"""The `View` in compiled code: a struct on the stack of whoever looks, whose lists are arrays within the state.

Nothing in it is counted or freed, so it must not outlive the call that made it, nor the states it was made from.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from quack_env.state import State
from quack_env.view import View

numba: Any = import_module("numba")
extending: Any = import_module("numba.extending")
cgutils: Any = import_module("numba.core.cgutils")
templates: Any = import_module("numba.core.typing.templates")
arrays: Any = import_module("numba.np.arrayobj")
ir: Any = import_module("llvmlite.ir")
types: Any = numba.types
Type: Any = types.Type
Template: Any = templates.AttributeTemplate

EVENTS = types.Array(types.int64, 1, "C")
STORE = "store"
"""A field besides those of `View`: room for the events of the ring, and a zero behind them."""


class ViewType(Type):  # type: ignore[misc]
    """Numba's type of a view into states of one record type."""

    def __init__(self, record: Any) -> None:
        self.ring = record.typeof("ring").shape[0]
        self.fields = {name: field_type(name, record) for name in View.__slots__} | {STORE: EVENTS}
        self.places = {name: place for place, name in enumerate(self.fields)}
        self.dtype = types.Tuple(list(self.fields.values()))
        super().__init__(name=f"View({record})")


def field_type(name: str, record: Any) -> Any:
    """The type of a field: an array for the lists that the state has, else an integer."""
    if name in ("messages", "transcript"):
        return types.Tuple(())
    if name == "events":
        return EVENTS
    is_list = View.__annotations__[name] == "list[int]"
    if is_list and name in State.__annotations__:
        return types.Array(record.typeof(name).dtype, 1, "C")
    return types.int64


extending.register_model(ViewType)(extending.models.PointerModel)


class ViewAttributes(Template):  # type: ignore[misc]
    """The types of a view's attributes."""

    key = ViewType

    def generic_resolve(self, view: Any, name: str) -> Any:
        """The type of one, or None."""
        return view.fields.get(name)


def get_field(context: Any, builder: Any, view: Any, pointer: Any, name: str) -> Any:
    """Load a field."""
    return builder.load(cgutils.gep_inbounds(builder, pointer, 0, view.places[name]))


def set_field(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    """Store a field, cast to its type."""
    view, given = signature.args
    pointer, value = arguments
    cast = context.cast(builder, value, given, view.fields[name])
    builder.store(cast, cgutils.gep_inbounds(builder, pointer, 0, view.places[name]))


extending.infer_getattr(ViewAttributes)
extending.lower_getattr_generic(ViewType)(get_field)
extending.lower_setattr_generic(ViewType)(set_field)


def make_view(typing_context: Any, states: Any) -> Any:
    """Code of `new_view(states)`: an empty view with its store, on the stack of the calling function."""
    view = ViewType(states.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = cgutils.alloca_once(builder, context.get_value_type(view.dtype), zfill=True)
        data = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), view.ring + 1), zfill=True)
        store = arrays.make_array(EVENTS)(context, builder)
        length, width = (context.get_constant(types.intp, size) for size in (view.ring + 1, 8))
        data = builder.bitcast(data, store.data.type)
        arrays.populate_array(store, data, shape=[length], strides=[width], itemsize=width, meminfo=None)
        builder.store(store._getvalue(), cgutils.gep_inbounds(builder, pointer, 0, view.places[STORE]))
        return pointer

    return view(states), generate


new_view = extending.intrinsic(make_view)
