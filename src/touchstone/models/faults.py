"""What a service's complaint means for the run.

A `Complaint` is what a service said when it gave no reply, whatever library carried it. In this order:

    the answer was too large for us      SizeLimit        by the words of `transport`
    the conversation is too long         ContextLimit     by code, or by the wording of the known servers
    a content filter stopped it          Reply            with finish "refusal"
    it takes no pictures                 ModelRejected    by the wording of the known servers
    an option that was given is refused  ModelRejected    400 or 422 that names one of `Service.options`
    no request like this can ever work   ModelRejected    401, 402, 403, 404; or a code that names key, model or option
    anything else                        ModelFailure     also a 400 that may concern this conversation only

Nobody answering is ModelUnreachable; an answer that does not come in time is ModelFailure. Every message is one line
and is cleaned of secrets, because services like to quote the key that they refuse.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..errors import ContextLimit, EpisodeFailure, ModelFailure, ModelRejected, SizeLimit
from ..phrases import clipped
from ..types import Reply

_CONTEXT = re.compile(
    r"context[_ ]?(length|size|window|limit)|maximum (model|prompt|input) length|reduce the length"
    r"|(prompt|input|request)( is|:)? too (long|large)|token count .{0,40}exceeds|longer than the maximum"
    r"|(input|prompt) (length|tokens) (\(.{0,20}\) )?exceeds?|too many tokens",
    re.IGNORECASE,
)
_TOO_LARGE = re.compile(r"the answer is larger than .*")  # LiteLLM passes on no codes
_FILTERED = re.compile(r"content[_ ]?(filter|policy|management)|invalid_prompt|\bflagged\b|moderation", re.IGNORECASE)
_HOPELESS_CODES = frozenset(
    "model_not_found invalid_model unknown_model invalid_api_key insufficient_quota billing_not_active "
    "billing_hard_limit_reached unsupported_parameter unsupported_value unknown_parameter "
    "invalid_function_parameters".split()
)
_HOPELESS = re.compile(
    r"api[ _-]?key|does not support (tools|function|chat|param)|enable-auto-tool-choice|provider not provided"
    r"|model\b[^.:]{0,80}(not found|not exist)|(not a valid|invalid|unknown) model",
    re.IGNORECASE,
)
_NO_PICTURES = re.compile(
    r"(image|vision|multi-?modal)[^.]{0,60}(not supported|unsupported|only supported|not enabled|not allowed)"
    r"|(not|n't|cannot|no endpoints found that) (support|process|accept|take|handle|have)[^.]{0,40}(image|vision|multi-?modal)"
    r"|not a multi-?modal model|at most 0 image|required for image input|unknown variant .?image_url|content must be a string",
    re.IGNORECASE,
)
_ADVICE = {
    401: "the key was refused, check {key}",
    402: "the account has no credit, check it or {key}",
    403: "the key may not do this, check {key} and the model's name",
    404: "there is no such model or path, check the model's name and the base URL",
    429: "the account's quota is used up, check its plan",
}
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET = re.compile(r"(?<![\w-])(sk|pk|rk|gsk|xai|AIza)[-_]?[\w*.-]{8,}|(?<=Bearer )\S+|(?<=://)[^/@\s]+(?=@)")


@dataclass(frozen=True)
class Service:
    """Whom a complaint is about."""

    model: str
    url: str
    """Safe to show: without user, password and query."""
    key: str
    """Where the key comes from, in words."""
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    """The option that put each optional field into the request: {"max_completion_tokens": "--max-tokens"}."""


@dataclass(frozen=True)
class Complaint:
    """What a service said instead of a reply."""

    status: int
    message: str
    code: str = ""
    param: str = ""


def complaint_of(status: int, body: Any) -> Complaint:
    """From the `error` part of an answer, in the many forms that it has."""
    if not isinstance(body, Mapping):
        return Complaint(status, _plain(str(body or "no reason given")))
    error = cast(Mapping[str, Any], body)
    message = error.get("message") or error.get("detail") or error.get("error") or dict(error)
    codes = [code for code in (error.get("code"), error.get("type")) if isinstance(code, str)]
    return Complaint(status, _plain(str(message)), codes[0] if codes else "", str(error.get("param") or ""))


def embedded_complaint(error: Any) -> Complaint:
    """A failure inside an answer with status 200. Some gateways put the real status into its code."""
    code: Any = cast(Mapping[str, Any], error).get("code") if isinstance(error, Mapping) else None
    return complaint_of(code if isinstance(code, int) else 500, error)


def judge(complaint: Complaint, service: Service) -> Reply | EpisodeFailure:
    """The failure to raise, or the refusal that it is."""
    wording = f"{complaint.code} {complaint.message}"
    message = one_line(complaint.message)
    if complaint.status == 413 and (cut := _TOO_LARGE.search(complaint.message)):
        return SizeLimit(f"{service.model}: {cut[0]}", "too_large")
    if complaint.status != 429 and _CONTEXT.search(wording):
        return ContextLimit(f"the conversation no longer fits {service.model}: {message}")
    if complaint.status in (400, 403, 422) and _FILTERED.search(wording):
        return Reply(message, finish="refusal")
    if complaint.status in (400, 404, 415, 422, 500, 501) and _NO_PICTURES.search(wording):
        advice = "it takes no pictures; use a model with vision, or --observation a11y_tree"
        return ModelRejected(f"{service.model}: {advice} (HTTP {complaint.status}: {message})")
    if complaint.status in (400, 422) and (option := _refused_option(complaint, service.options)):
        advice = f"the service refuses {option}; leave it out or give another value"
        return ModelRejected(f"{service.model}: {advice} (HTTP {complaint.status}: {message})")
    if _is_hopeless(complaint):
        advice = _ADVICE.get(complaint.status, "the request is refused, check {key}, the model's name and the options")
        return ModelRejected(f"{service.model}: {advice.format(key=service.key)} (HTTP {complaint.status}: {message})")
    return ModelFailure(f"{service.model}: HTTP {complaint.status}: {message}")


def no_reply(service: Service, timeout: float) -> ModelFailure:
    return ModelFailure(f"{service.model}: no reply within {timeout:g} s from {service.url}")


def settle(outcome: Reply | EpisodeFailure) -> Reply:
    if isinstance(outcome, Reply):
        return outcome
    raise outcome from None


def _refused_option(complaint: Complaint, options: Mapping[str, str]) -> str | None:
    """The option behind the field that a complaint names. A message may quote the conversation, so there a field counts only
    in quotes, or if no prose has such a word."""
    for name, option in options.items():
        named = re.escape(name) if "_" in name or name == "temperature" else rf"(['\"`]){re.escape(name)}\1"
        if complaint.param == name or re.search(rf"(?<!\w){named}(?!\w)", complaint.message):
            return option
    return None


def _is_hopeless(complaint: Complaint) -> bool:
    if complaint.status in (401, 402, 403, 404, 405) or complaint.code in _HOPELESS_CODES:
        return True
    if complaint.status not in (400, 422):
        return False
    return complaint.param in ("model", "service_tier") or _HOPELESS.search(complaint.message) is not None


def one_line(text: str, limit: int = 300) -> str:
    """Without secrets, line breaks and excess."""
    return clipped(" ".join(_clean(text).split()), limit)


def _clean(text: str) -> str:
    for name, value in os.environ.items():
        if len(value) >= 8 and _SECRET_NAME.search(name):
            text = text.replace(value, "***")
    return _SECRET.sub("***", text)


def _plain(text: str) -> str:
    """A page made for browsers says little more than its title."""
    if not text.lstrip().startswith("<"):
        return text
    title = re.search(r"<title>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
    return f"a web page instead of JSON: {title[1] if title else 'untitled'}"
