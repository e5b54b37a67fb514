"""Played by the trainers' own packages, in an environment of their own: `python trainers.py WHAT ARGUMENT …`."""

from __future__ import annotations

import asyncio
import json
import sys
from types import SimpleNamespace
from typing import Any

GOLD = "SELECT name FROM item WHERE price > 1.0"


def openenv(address: str) -> dict[str, Any]:
    from openenv.core.generic_client import GenericEnvClient
    from openenv.core.mcp_client import MCPToolClient

    async def play() -> dict[str, Any]:
        found: dict[str, Any] = {}
        async with GenericEnvClient(base_url=address) as env:
            begun = await env.reset(task="10")
            found["begun"] = [begun.observation["task"], begun.reward, begun.done]
            seen = await env.step({"tool": "execute_sql", "arguments": {"sql": "SELECT 41 + 1"}})
            found["seen"] = "42" in seen.observation["text"]
            found["state"] = (await env.state())["step_count"]
            end = await env.step({"tool": "submit_sql", "arguments": {"sql": GOLD}})
            found["end"] = [end.reward, end.done]
            try:
                await env.step({"tool": "execute_sql", "arguments": {"sql": "SELECT 1"}})
            except RuntimeError as error:
                found["over"] = "reset first" in str(error)
        async with MCPToolClient(base_url=address) as env:
            found["tools"] = [tool.name for tool in await env.list_tools()]
            await env.reset()
            found["called"] = "1" in await env.call_tool("execute_sql", sql="SELECT 1")
        by_http = MCPToolClient(base_url=address)
        by_http.use_production_mode = True
        found["by_http"] = "2" in await by_http.call_tool("execute_sql", sql="SELECT 2")
        await by_http.close()
        clients = [GenericEnvClient(base_url=address) for _ in range(20)]
        await asyncio.gather(*(client.connect() for client in clients))
        await asyncio.gather(*(client.reset(task="10") for client in clients))
        ends = await asyncio.gather(*(client.step({"answer": f"```sql\n{GOLD}\n```"}) for client in clients))
        found["together"] = sum(end.reward for end in ends)
        await asyncio.gather(*(client.close() for client in clients))
        return found

    found = asyncio.run(play())
    with GenericEnvClient(base_url=address).sync() as env:
        found["sync"] = env.reset(task="11").observation["task"]
    return found


def openenv_mcp(address: str) -> dict[str, Any]:
    """Since 0.10 the MCP client begins its session over HTTP, and its WebSocket joins it."""
    from openenv.cli._validation import validate_running_environment
    from openenv.core.mcp_client import MCPToolClient

    async def play(number: int) -> list[Any]:
        async with MCPToolClient(base_url=address) as env:
            begun = await env.reset(task="10")
            await env.call_tool("execute_sql", sql=f"SELECT {number}")
            steps = (await env.state()).step_count
            await env.disconnect()
            await env.connect()
            end = await env.call_tool("submit_sql", sql=GOLD)
            return ["dear" in begun.metadata["text"], [tool.name for tool in begun.observation.tools], steps, end]

    async def play_all() -> list[list[Any]]:
        return await asyncio.gather(*map(play, range(8)))

    played = asyncio.run(play_all())
    return {"first": played[0], "same": played == played[:1] * 8, "valid": validate_running_environment(address)["passed"]}


def interact(address: str) -> dict[str, Any]:
    """A request in two phases, with a question to the user."""
    from openenv.core.generic_client import GenericEnvClient

    async def play() -> dict[str, Any]:
        async with GenericEnvClient(base_url=address) as env:
            begun = await env.reset(task="shop_1")
            asked = await env.step({"tool": "ask", "arguments": {"question": "What are active customers?"}})
            active = "SELECT c.name FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.id HAVING count(*) >= 2"
            first = await env.step({"tool": "submit", "arguments": {"sql": active}})
            totals = "SELECT c.name, sum(p.amount) FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.id"
            second = await env.step({"answer": f"```sql\n{totals}\n```"})
            return {
                "request": "active customers" in begun.observation["text"],
                "told": asked.done,
                "first": [first.reward, first.done],
                "second": [round(second.reward, 6), second.done],
            }

    return asyncio.run(play())


def _benchmark(tasks: str, databases: str) -> Any:
    import touchstone

    return touchstone.bird(tasks, databases)


def gymnasium(tasks: str, databases: str) -> dict[str, Any]:
    from gymnasium.wrappers import TimeLimit

    from touchstone.env.adapters import gymnasium_env

    env = TimeLimit(gymnasium_env(_benchmark(tasks, databases)), 5)
    text, info = env.reset(options={"task": "10"})
    seen = env.step("<sql>SELECT 41 + 1</sql>")
    end = env.step(f"<solution>{GOLD}</solution>")
    again, _ = env.reset(seed=3)
    broken = env.step("I do not know")
    same, _ = env.reset(seed=3)
    env.close()
    return {
        "task": info["task"],
        "text": "dear" in text,
        "seen": "42" in seen[0],
        "end": list(end[1:4]),
        "broken": broken[4]["error"],
        "seeded": again == same,
    }


def skyrl(tasks: str, databases: str) -> dict[str, Any]:
    import skyrl_gym

    from touchstone.env.adapters import skyrl_env

    skyrl_gym.register("touchstone", entry_point=skyrl_env(_benchmark(tasks, databases)))
    env = skyrl_gym.make("touchstone", env_config={}, extras={"reward_spec": {"ground_truth": "10"}})
    asked, info = env.init([])
    seen = env.step("Let me look. <sql>SELECT 41 + 1</sql>")
    end = env.step(f"<solution>{GOLD}</solution>")
    env.close()
    return {
        "task": info["task"],
        "asked": [message["role"] for message in asked],
        "seen": "42" in seen["observations"][0]["content"],
        "end": [end["reward"], end["done"], end["observations"]],
    }


def verifiers(tasks: str, databases: str) -> dict[str, Any]:
    from touchstone.env.adapters import verifiers_taskset

    taskset = verifiers_taskset(_benchmark(tasks, databases))
    loaded = list(taskset)

    class Trace(SimpleNamespace):
        def record_reward(self, name: str, value: float, weight: float) -> None:
            self.rewards[name] = value * weight

    async def score(text: str) -> float:
        trace = Trace(metrics={}, rewards={}, last_reply=text)
        await loaded[0].score(trace)
        return trace.rewards["touchstone"]

    return {
        "keys": [task.key for task in loaded],
        "prompt": "dear" in loaded[0].data.prompt,
        "taken": len(list(taskset.shuffle(seed=1).take(2))),
        "rewards": [asyncio.run(score(text)) for text in (f"```sql\n{GOLD}\n```", "no idea")],
    }


def _tokenizer() -> Any:
    """A byte each."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(["<pad>", "<eos>", *letters])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", chat_template=template)


def trl(tasks: str, databases: str, rows: str) -> dict[str, Any]:
    """A step of GRPO with a model that says nothing sensible: every completion costs the format penalty."""
    import tempfile

    from transformers import Qwen2Config, Qwen2ForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    from datasets import load_dataset
    from touchstone.env import RewardOptions
    from touchstone.env.adapters import trl_reward

    tokenizer = _tokenizer()
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": len(tokenizer)}
    with tempfile.TemporaryDirectory() as folder:
        options = {"max_steps": 1, "per_device_train_batch_size": 4, "num_generations": 4, "max_completion_length": 8}
        trainer = GRPOTrainer(
            model=Qwen2ForCausalLM(Qwen2Config(**sizes, **heads)),
            reward_funcs=[trl_reward(_benchmark(tasks, databases), RewardOptions(format_penalty=0.25))],
            args=GRPOConfig(output_dir=folder, use_cpu=True, bf16=False, report_to=[], logging_steps=1, **options),
            train_dataset=load_dataset("json", data_files=rows, split="train"),
            processing_class=tokenizer,
        )
        trainer.train()
    return {"reward": trainer.state.log_history[0]["rewards/touchstone_reward/mean"]}


def verl(function: str) -> dict[str, Any]:
    """What verl's own reward managers make of `compute_score` in a file."""
    import numpy as np
    import torch
    from omegaconf import OmegaConf
    from verl import DataProto
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
    from verl.trainer.ppo.reward import get_custom_reward_fn
    from verl.workers.reward_manager.batch import BatchRewardManager

    config = OmegaConf.create({"reward": {"custom_reward_function": {"path": function, "name": "compute_score"}}})
    score, tokenizer = get_custom_reward_fn(config), _tokenizer()
    texts = [f"```sql\n{GOLD}\n```", "no idea"]
    answers = tokenizer(texts, return_tensors="pt", padding=True, padding_side="right")
    prompt = torch.zeros((2, 1), dtype=torch.long)
    mask = torch.cat([torch.ones_like(prompt), answers["attention_mask"]], dim=1)
    tensors = {"prompts": prompt, "responses": answers["input_ids"], "attention_mask": mask}
    judged = {"style": "rule", "ground_truth": "10"}
    fields = {"data_source": ["touchstone/bird"] * 2, "reward_model": [judged] * 2, "extra_info": [{}, {}]}
    data = DataProto.from_dict(tensors, {name: np.array(values, dtype=object) for name, values in fields.items()})
    one = NaiveRewardManager(config, tokenizer, score)
    many = BatchRewardManager(tokenizer, 0, score)(data, return_dict=True)
    return {
        "one": [one.loop.run_until_complete(one.run_single(data[each : each + 1]))["reward_score"] for each in range(2)],
        "many": many["reward_tensor"].sum(dim=1).tolist(),
        "outcomes": many["reward_extra_info"]["outcome"],
    }


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
