from .agents.function import answers as answers
from .api.gym import Gym as Gym
from .api.gym import gym as gym
from .api.results import Results as Results
from .api.results import read as read
from .api.run import benchmark as benchmark
from .api.run import configured as configured
from .api.run import digest as digest
from .api.run import run as run
from .api.run import run_async as run_async
from .benchmarks.audit.audited import Audited as Audited
from .benchmarks.audit.audited import AuditOptions as AuditOptions
from .benchmarks.audit.findings import AuditFinding as AuditFinding
from .benchmarks.bird.config import BirdConfig as _BirdConfig
from .benchmarks.data_check import Found as Found
from .benchmarks.desktop.config import DesktopConfig as _DesktopConfig
from .benchmarks.interact.config import InteractConfig as _InteractConfig
from .benchmarks.spider2.config import Spider2Config as _Spider2Config
from .benchmarks.sql_episode import PlainEpisode as PlainEpisode
from .benchmarks.task_file import Selection as Selection
from .errors import EpisodeFailure as EpisodeFailure
from .errors import InputError as InputError
from .errors import SqlError as SqlError
from .errors import TouchstoneError as TouchstoneError
from .errors import Unscorable as Unscorable
from .options import Count as Count
from .options import NotNegative as NotNegative
from .options import Opt as Opt
from .options import OptionError as OptionError
from .options import Options as Options
from .options import Positive as Positive
from .options import WholeNumber as WholeNumber
from .protocols import Agent as Agent
from .protocols import AgentConfig as AgentConfig
from .protocols import AgentContext as AgentContext
from .protocols import Benchmark as Benchmark
from .protocols import BenchmarkConfig as BenchmarkConfig
from .protocols import Engine as Engine
from .protocols import EngineConfig as EngineConfig
from .protocols import Episode as Episode
from .protocols import EpisodeDatabase as EpisodeDatabase
from .protocols import Hints as Hints
from .protocols import Limits as Limits
from .protocols import Model as Model
from .protocols import ModelConfig as ModelConfig
from .protocols import Move as Move
from .protocols import Opening as Opening
from .protocols import ScoreOptions as ScoreOptions
from .protocols import Scoring as Scoring
from .protocols import Session as Session
from .protocols import Stage as Stage
from .runs.config import RunConfig as RunConfig
from .runs.config import RunOptions as RunOptions
from .types import Brief as Brief
from .types import Message as Message
from .types import Observation as Observation
from .types import Outcome as Outcome
from .types import PartialScore as PartialScore
from .types import Record as Record
from .types import Reply as Reply
from .types import Table as Table
from .types import Task as Task
from .types import Tool as Tool
from .types import ToolCall as ToolCall
from .types import Usage as Usage
from .types import Verdict as Verdict

__version__: str

bird = _BirdConfig

spider2 = _Spider2Config

interact = _InteractConfig

desktop = _DesktopConfig
