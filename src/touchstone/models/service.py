"""The options of models behind a service: where it is, and how it answers. What is not given is not sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from ..options import Count, NotNegative, Opt, Positive, WholeNumber
from ..protocols import WHO, ModelConfig

_SAMPLING = ("temperature", "top_p", "max_tokens", "reasoning_effort", "seed")


class ServiceConfig(ModelConfig, frozen=True, kw_only=True):
    """A chat model behind an HTTP service."""

    base_url: Annotated[str | None, Opt(env="OPENAI_BASE_URL", group=WHO)] = None
    """The endpoint, if it is not the provider's own. The key comes from OPENAI_API_KEY."""
    temperature: Annotated[NotNegative | None, Opt(group=WHO)] = None
    """Sent to the model's service, which has a default of its own and may refuse another."""
    top_p: Annotated[Annotated[float, Meta(gt=0, le=1)] | None, Opt(group=WHO, advanced=True)] = None
    """Sent to the model's service."""
    max_tokens: Annotated[Count | None, Opt(group=WHO)] = None
    """The longest reply. Sent as max_completion_tokens to OpenAI itself, as max_tokens to others."""
    reasoning_effort: Annotated[Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None, Opt(group=WHO)] = None
    """Sent to the model's service."""
    seed: Annotated[int | None, Opt(group=WHO, advanced=True)] = None
    """Sent to the model's service."""
    extra_body: Annotated[dict[str, Any] | None, Opt(group=WHO, advanced=True)] = None
    """A JSON object whose fields are added to every request."""
    service_tier: Annotated[str | None, Opt(group=WHO, advanced=True)] = None
    """Passed on to the model's service, such as flex."""
    model_timeout: Annotated[Positive, Opt(group=WHO, advanced=True)] = 600.0
    """Seconds to wait for a reply."""
    model_retries: Annotated[WholeNumber, Opt(group=WHO, advanced=True)] = 6
    """How often a request is repeated that failed for reasons that may pass."""

    def identity(self) -> dict[str, Any]:
        sampling = self.sampling()
        return {"sampling": sampling} if sampling else {}

    def sampling(self) -> dict[str, Any]:
        """What is added to a request."""
        given = {name: getattr(self, name) for name in _SAMPLING}
        return {name: value for name, value in given.items() if value is not None} | (self.extra_body or {})

    def sampling_options(self) -> dict[str, str]:
        """By the field of a request that it sets, the option that asked for it: to say which one a service refuses."""
        named = {name: f"--{name.replace('_', '-')}" for name in _SAMPLING if getattr(self, name) is not None}
        return named | dict.fromkeys(self.extra_body or {}, "--extra-body")
