"""The same episodes as other trainers expect them. Each function imports its trainer's package when it is called.

    verl         compute_score = verl_score(config)                  one answer, or a batch of them
    TRL          GRPOTrainer(reward_funcs=[trl_reward(config)], …)
    verifiers    taskset = verifiers_taskset(config)
    SkyRL-Gym    skyrl_gym.register("touchstone", entry_point=skyrl_env(config))
    Gymnasium    env = gymnasium_env(config)

An action in text is `<sql>…</sql>` to look at the database, `<ask>…</ask>` and the like for any other tool by its name, and
`<solution>…</solution>` or a block of SQL to answer; of several, the last counts. What is not usable (see
touchstone.env.reward) is None for TRL, which leaves it out, and 0 elsewhere.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, cast

import msgspec

from ..foreign import whole
from ..protocols import Benchmark, BenchmarkConfig
from ..types import Message, Tool, ToolCall
from .batch import SyncBatchEnv, SyncEpisode
from .reward import LONGEST_ANSWER, RewardOptions, submission_of, submission_tool, within_tags
from .sessions import EnvStep

Source = BenchmarkConfig | Benchmark


def call_in(text: str, tools: Sequence[Tool]) -> ToolCall:
    """The call that a text makes. What makes none is a call of no tool: the agent is told so, and it counts as unreadable."""
    handing_in = submission_tool(tools)
    by_tag = {tool.name.lower(): tool for tool in tools if tool != handing_in}
    if looking := [tool for tool in by_tag.values() if tool.arguments.__struct_fields__ == ("sql",)]:
        by_tag["sql"] = looking[0]
    if len(text) <= LONGEST_ANSWER and (tagged := within_tags(whole(text), {"solution", "answer", *by_tag})):
        name, content = tagged
        if name in by_tag:
            return ToolCall("text", by_tag[name].name, _arguments(by_tag[name], content.strip()))
    return submission_of(text, tools) or ToolCall("text", "", "")


def _arguments(tool: Tool, content: str) -> str:
    """A tool's only argument is the text as it is; several are a JSON object."""
    fields = tool.arguments.__struct_fields__
    if len(fields) > 1:
        return content
    return msgspec.json.encode({fields[0]: content}).decode() if fields else "{}"


def verl_score(benchmark: Source, rewards: RewardOptions | None = None) -> Callable[..., Any]:
    """`compute_score` of verl, in either of its forms; the ground truth is the task's key, as `touchstone env rows --form verl`
    writes it."""
    env = SyncBatchEnv(benchmark, rewards)

    def compute_score(
        data_source: str | None = None,
        solution_str: str | None = None,
        ground_truth: str | None = None,
        extra_info: Any = None,
        *,
        solution_strs: Sequence[str] | None = None,
        ground_truths: Sequence[str] | None = None,
        **_: Any,
    ) -> Any:
        if solution_strs is None or ground_truths is None:
            return _scores(env, [(str(ground_truth), str(solution_str))])[0]
        return _scores(env, [(str(key), text) for key, text in zip(ground_truths, solution_strs, strict=True)])

    return compute_score


def _scores(env: SyncBatchEnv, answers: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"score": each.reward, "usable": each.usable, "outcome": each.outcome} for each in env.score(answers)]


def trl_reward(benchmark: Source, rewards: RewardOptions | None = None) -> Callable[..., list[float | None]]:
    """A reward function of TRL's; the dataset has the column `task`, as `touchstone env rows --form trl` writes it."""
    env = SyncBatchEnv(benchmark, rewards)

    def touchstone_reward(completions: Sequence[Any], task: Sequence[str], **_: Any) -> list[float | None]:
        paid = env.score([(key, _text(completion)) for key, completion in zip(task, completions, strict=True)])
        return [each.reward if each.usable else None for each in paid]

    return touchstone_reward


def _text(completion: Any) -> str:
    """A completion is text, or the messages of a conversation."""
    if isinstance(completion, str):
        return completion
    messages = cast("Sequence[Message]", completion)
    texts = [message.get("content") for message in messages if message.get("role", "assistant") == "assistant"]
    return texts[-1] if texts and isinstance(texts[-1], str) else ""


def verifiers_taskset(benchmark: Source, rewards: RewardOptions | None = None) -> Any:
    """A taskset of verifiers' (v1): tasks with one prompt each, rewarded by what the last reply answers."""
    vf: Any = import_module("verifiers.v1")

    env = SyncBatchEnv(benchmark, rewards)

    class TouchstoneTask(vf.Task[vf.TaskData]):
        @property
        def key(self) -> str:
            return str(self.data.id)

        @vf.reward(weight=1.0)
        async def touchstone(self, trace: Any) -> float:
            (paid,) = await env.score_async([(str(self.data.id), trace.last_reply)])
            return paid.reward

    class TouchstoneTaskset(vf.Taskset[TouchstoneTask, vf.TasksetConfig]):
        def load(self) -> Any:
            for step in env.begun():
                prompts = {"prompt": step.text, "system_prompt": step.info["instructions"]}
                yield TouchstoneTask(vf.TaskData(id=step.info["task"], name=step.info["task"], **prompts))

    return TouchstoneTaskset(vf.TasksetConfig())


def skyrl_env(benchmark: Source, rewards: RewardOptions | None = None, *, max_steps: int | None = None) -> Any:
    """A class of SkyRL-Gym's text environments. Its extras name the task: {"task": key}, or verl's form of a row."""
    skyrl: Any = import_module("skyrl_gym.envs.base_text_env")

    env = SyncBatchEnv(benchmark, rewards, max_steps=max_steps)

    class TouchstoneTextEnv(skyrl.BaseTextEnv):
        def __init__(self, env_config: Any = None, extras: dict[str, Any] | None = None) -> None:
            super().__init__()  # pyright: ignore[reportUnknownMemberType]
            extras = extras or {}
            self.max_turns = env.max_steps
            self._key: str | None = extras.get("task") or extras.get("reward_spec", {}).get("ground_truth")
            self._episode: SyncEpisode = env.episode()

        def init(self, prompt: list[Any]) -> tuple[list[Any], dict[str, Any]]:
            step = self._episode.reset(self._key)
            asked = [Message(role="system", content=step.info["instructions"]), Message(role="user", content=step.text)]
            return prompt or asked, {"task": step.info["task"]}

        def step(self, action: str) -> Any:
            self.turns += 1  # pyright: ignore[reportUnknownMemberType]
            step = self._episode.step(call_in(action, self._episode.tools))
            messages = [] if step.done else [{"role": "user", "content": step.text}]
            return skyrl.BaseTextEnvStepOutput(observations=messages, reward=step.reward, done=step.done, metadata=step.info)

        def close(self) -> None:
            self._episode.close()

    return TouchstoneTextEnv


def gymnasium_env(benchmark: Source, rewards: RewardOptions | None = None, *, max_steps: int | None = None) -> Any:
    """An environment of Gymnasium's whose actions and observations are text. `reset(options={"task": key})` names the task."""
    gymnasium: Any = import_module("gymnasium")

    env = SyncBatchEnv(benchmark, rewards, max_steps=max_steps)

    class TouchstoneEnv(gymnasium.Env[str, str]):
        action_space = gymnasium.spaces.Text(4096, charset=string.printable)
        observation_space = gymnasium.spaces.Text(2**20, charset=string.printable)

        def __init__(self) -> None:
            self._episode = env.episode()

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
            super().reset(seed=seed)  # pyright: ignore[reportUnknownMemberType]
            step = self._episode.reset((options or {}).get("task"), seed=seed)
            return step.text, step.info

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            step: EnvStep = self._episode.step(call_in(action, self._episode.tools))
            return step.text, step.reward, step.done and not step.truncated, step.truncated, step.info

        def close(self) -> None:
            self._episode.close()
            env.close()

    return TouchstoneEnv()
