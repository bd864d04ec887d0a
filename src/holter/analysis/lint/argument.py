"""What is wrong with the arguments of a call, sorted into the ARG rules, so that each text is read once for all of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec

from holter.analysis.lint.place import Wire
from holter.messages.calls import NO_ARGUMENTS, as_json_text
from holter.tools import argument_text
from holter.tools.argument_fault import fault_of, in_unicode, missing_of
from holter.tools.residue import residue


class Fault(msgspec.Struct, frozen=True, gc=False):
    """One thing that is wrong with a call's arguments."""

    code: str
    text: str
    hint: str | None = None
    fixable: bool | None = None


_TRUNCATED = "the arguments were cut off"


def faults_of(call: dict[str, Any], schema: dict[str, Any] | None, wire: Wire, *, was_cut: bool, is_clean: bool) -> list[Fault]:
    """All that is wrong with the arguments of a call, in the rules' order. `schema` is the called tool's, None where it is not known;
    `was_cut` says that the output limit ended the answer, `is_clean` that the arguments are known to hold neither markup nor NaN."""
    if call.get("type") == "invalid_tool_call":
        return _faults_of_text(call, schema, wire, was_cut)
    args = call.get("args")
    if not isinstance(args, dict):
        return [Fault("ARG12", f"the arguments are no object but {type(args).__name__}")]
    if is_clean and schema is None:
        return _NONE
    return _faults_of_object(args, schema, was_cut, is_clean)


_NONE: list[Fault] = []


def _faults_of_object(args: dict[str, Any], schema: dict[str, Any] | None, was_cut: bool, is_clean: bool = False) -> list[Fault]:
    faults: list[Fault] = []
    if not is_clean and fault_of(args, None):
        found = residue(args)
        if found is not None:
            faults.append(Fault("ARG11", f"template markup {found[0][:80]!r} stands in {found[1]}"))
        else:
            faults.append(Fault("ARG13", fault_of(args, None)))
    if schema is None or schema.get("type") == "string":
        return faults
    checked = validator_of(schema)
    if checked is None or is_valid(checked, args):
        return faults
    nested = nested_texts(args, schema)
    if nested:
        names = ", ".join(nested)
        faults.append(Fault("ARG10", f"{names}: a JSON text, where the schema wants the value itself"))
        if is_valid(checked, {**args, **nested}):
            return faults
    missing = missing_of(args, schema)
    if was_cut and missing:
        faults.append(Fault("ARG08", f"the output limit ended the answer, and the end of the arguments with it ({missing})"))
    faults.append(Fault("ARG12", problems_of(checked, {**args, **nested})))
    return faults


def _faults_of_text(call: dict[str, Any], schema: dict[str, Any] | None, wire: Wire, was_cut: bool) -> list[Fault]:
    raw, error = call.get("args"), str(call.get("error") or "")
    if error == NO_ARGUMENTS:
        return [Fault("ARG04", "null stands for the arguments", fixable=True), *_faults_of_object({}, schema, was_cut)]
    if wire in ("anthropic", "gemini") and isinstance(raw, str):
        return [_text_for_object(raw)]
    if not isinstance(raw, str):
        return [Fault("ARG12", f"{_kind(raw)} stands for the arguments; an object is wanted")]
    try:
        objects, repairs = argument_text.read(raw, schema)
    except argument_text.Refused as refused:
        return [_refused(raw, str(refused), was_cut)]
    faults = [Fault(code, text, fixable=True) for code, text in repairs]
    for args in objects:
        faults += _faults_of_object(args, schema, was_cut)
    return faults


def _text_for_object(raw: str) -> Fault:
    """A text where the wire has an object, which it may hold."""
    try:
        argument_text.read(raw, None)
    except argument_text.Refused:
        return Fault("ARG09", "the arguments are a text that holds no object; an object is wanted here", fixable=False)
    return Fault("ARG09", "the arguments are a text; an object is wanted here", "decode it on the wire copy")


def _refused(raw: str, why: str, was_cut: bool) -> Fault:
    """The narrowest rule for a text that holds no object that may be run."""
    if why.startswith(_TRUNCATED):
        by = "; the output limit (finish_reason=length) ended the answer" if was_cut else ""
        return Fault("ARG08", f"{why.partition(';')[0]}{by}", "do not complete it and run it: ask for smaller pieces")
    if why.startswith("one JSON object was expected, found"):
        found = why.removeprefix("one JSON object was expected, found ")
        return Fault("ARG12", f"the arguments are {found}; an object is wanted", fixable=False)
    if any(word in why for word in ("NaN", "Infinity")):
        return Fault("ARG13", why)
    if was_cut:
        return Fault("ARG08", f"{why}; the output limit (finish_reason=length) ended the answer")
    if around := text_around(raw):
        code = "ARG05" if "{" in around else "ARG07"
        told = "more than one object stands there" if code == "ARG05" else "text stands around the object"
        return Fault(code, f"{told}: {around[:60]!r}", _ASK_AGAIN, fixable=True)
    return Fault("ARG01", why, _ASK_AGAIN, fixable=True)


_ASK_AGAIN = "answer the model with this error, and the place"
_decoder = json.JSONDecoder()


def text_around(raw: str) -> str:
    """What stands before and behind the first object of a text; "" where none can be read at its first brace."""
    start = raw.find("{")
    if start < 0:
        return ""
    try:
        _, end = _decoder.raw_decode(raw, start)
    except (ValueError, RecursionError):
        return ""
    return f"{raw[:start]} {raw[end:]}".strip()


def nested_texts(args: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Fields that the schema calls an array or object and that are the JSON text of one, with the value that the text holds."""
    properties = schema.get("properties")
    found: dict[str, Any] = {}
    for name, value in args.items():
        own = properties.get(name) if isinstance(properties, dict) else None
        wanted = own.get("type") if isinstance(own, dict) else None
        if not isinstance(value, str) or not value.strip().startswith(("[", "{")):
            continue
        kinds = set(wanted) if isinstance(wanted, list) else {wanted}
        if "string" in kinds or not kinds & {"array", "object"}:
            continue
        try:
            inner = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            continue
        if ("array" if isinstance(inner, list) else "object") in kinds:
            found[name] = inner
    return found


_MOST_SCHEMAS = 4_096
_validators: dict[bytes, jsonschema_rs.Validator | None] = {}


def validator_of(schema: dict[str, Any]) -> jsonschema_rs.Validator | None:
    """A compiled validator of the schema, made once for equal ones; None where it is no valid schema, or an empty one."""
    if not schema:
        return None
    try:
        key = msgspec.json.encode(schema)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return None
    if key not in _validators:
        if len(_validators) >= _MOST_SCHEMAS:
            _validators.clear()
        _validators[key] = _compiled(schema)
    return _validators[key]


def _compiled(schema: dict[str, Any]) -> jsonschema_rs.Validator | None:
    try:
        return jsonschema_rs.validator_for(schema, validate_formats=False, offline=True)
    except (ValueError, TypeError, RecursionError):
        return None


def is_valid(checked: jsonschema_rs.Validator, args: dict[str, Any]) -> bool:
    """Whether the arguments satisfy the schema; what the validator cannot take is not its business."""
    try:
        return checked.is_valid(args)
    except (ValueError, TypeError, RecursionError):
        return True


_MOST_PROBLEMS = 5


def problems_of(checked: jsonschema_rs.Validator, args: dict[str, Any]) -> str:
    """What is wrong by the schema, the first few in one sentence."""
    found: list[str] = []
    for error in _errors(checked, args):
        at = ".".join(str(piece) for piece in error.instance_path)
        found.append(f"{at}: {error.message}" if at else error.message)
        if len(found) == _MOST_PROBLEMS:
            found.append("…")
            break
    return "; ".join(found)[:600]


def _errors(checked: jsonschema_rs.Validator, args: dict[str, Any]) -> Iterator[jsonschema_rs.ValidationError]:
    """What the validator says of arguments; halves of characters, which it cannot take, are mended for it."""
    try:
        return iter(list(checked.iter_errors(args)))
    except (ValueError, TypeError, RecursionError):
        return checked.iter_errors(in_unicode(args))


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    text = as_json_text(value)
    return f"{type(value).__name__} {text[:40]}"
