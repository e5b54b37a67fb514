"""The desktop's options, and what can be done with them: play, judge files, audit the gold."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from msgspec.structs import force_setattr, replace

import touchstone

from ...errors import InputError, TouchstoneError
from ...options import Count, NotNegative, Opt, OptionError, Options, Positive, WholeNumber
from ...plugins import agent_config
from ...protocols import TASKS, WHO, BenchmarkConfig, Check, Hints, Opening, ScoreOptions, Scoring
from .providers import NAMES, ProviderSettings, provider
from .tasks import APPS, NAME, Dataset, DesktopTask, Split, demo, load_task, load_tasks

if TYPE_CHECKING:
    from ..audit.audited import Audited, AuditOptions
    from ..data_check import Dataset as CatalogueEntry
    from ..data_check import Found
    from .benchmark import DesktopBenchmark
    from .desktop import Desktop
    from .documents.search import Retriever

_HERE = __package__
EXAMPLES = Path(NAME)
DOCUMENTS = Path("documents-index")
SCREEN, DESKTOP, PASSAGES = "What the agent sees and does", "The desktop", "Documents for the agent"


class TaskChoice(Options, frozen=True, kw_only=True):
    """Which tasks: values of one option are alternatives, options are combined."""

    split: Annotated[Split | None, Opt(group=TASKS)] = None
    """A published list of tasks; account and non_account follow from the tags."""
    domain: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only this folder, such as excel (repeatable)."""
    app: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only tasks that use this application (repeatable)."""
    tag: Annotated[tuple[str, ...], Opt(group=TASKS, advanced=True)] = ()
    """Only tasks with this tag, such as cli+gui (repeatable)."""
    difficulty: Annotated[tuple[Literal["easy", "medium", "hard"], ...], Opt(group=TASKS)] = ()
    """By the expert's number of actions: easy up to 5, medium up to 15, hard above (repeatable)."""
    instruction: Annotated[Literal["any", "abstract", "verbose"], Opt(group=TASKS)] = "any"
    """Only tasks with this form of instruction; short: --abstract, --verbose."""
    exclude_account: Annotated[bool, Opt(group=TASKS)] = False
    """Leave out tasks that need an account."""
    task: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only the task with this id (repeatable)."""

    def select(self, tasks: Sequence[DesktopTask], dataset: Dataset) -> list[DesktopTask]:
        """The tasks that are meant, in order. A name that no task has is a mistake."""
        _refuse_unknown("domain", self.domain, {task.domain for task in tasks})
        _refuse_unknown("app", self.app, set(APPS))
        _refuse_unknown("tag", self.tag, {tag for task in tasks for tag in task.form.tags})
        _refuse_unknown("task", self.task, {task.key for task in tasks})
        listed = self._listed(tasks, dataset)
        return [task for task in tasks if (listed is None or task.key in listed) and self._wants(task)]

    def _wants(self, task: DesktopTask) -> bool:
        return (
            (not self.task or task.key in self.task)
            and (not self.domain or task.domain in self.domain)
            and (not self.app or not set(self.app).isdisjoint(task.form.related_apps))
            and (not self.tag or not set(self.tag).isdisjoint(task.form.tags))
            and (not self.difficulty or task.facets["difficulty"] in self.difficulty)
            and self.instruction in ("any", task.facets["instruction"])
            and not (self.exclude_account and task.account)
        )

    def _listed(self, tasks: Sequence[DesktopTask], dataset: Dataset) -> set[str] | None:
        """The two account splits follow from the tags, since the published lists have errors."""
        if self.split is None:
            return None
        if self.split in ("account", "non_account"):
            return {task.key for task in tasks if task.account is (self.split == "account")}
        return set(dataset.listed(self.split))


class Loaded(NamedTuple):
    """A dataset's tasks, and those of them that are meant."""

    dataset: Dataset
    known: Sequence[DesktopTask]
    chosen: Sequence[DesktopTask]


class DesktopConfig(TaskChoice, BenchmarkConfig, frozen=True):
    """Play Spider2-V: data-engineering work on a real desktop, built on this machine."""

    name: ClassVar[str] = "desktop"
    label: ClassVar[str] = "Spider2-V"
    agent: ClassVar[str] = "screen"
    defaults: ClassVar[Mapping[str, Any]] = {"max_turns": 15}
    synonyms: ClassVar[Mapping[str, tuple[str, ...]]] = {"max_turns": ("--max-steps",), "verbose": ("--each",)}

    taken_names: ClassVar[frozenset[str]] = frozenset({"--verbose"})
    run_words: ClassVar[Mapping[str, Mapping[str, Any]]] = {"run": {"dataset": EXAMPLES}}
    commands: ClassVar[Mapping[str, str]] = {
        "check": f"{_HERE}.commands:check",
        "evaluate": f"{_HERE}.commands:evaluate",
        "demo": f"{_HERE}.commands:demo",
        "selfcheck": f"{_HERE}.selfcheck:selfcheck",
        "accounts init": f"{_HERE}.commands:accounts_init",
        "accounts check": f"{_HERE}.commands:accounts_check",
        "image build": f"{_HERE}.image_commands:build",
        "image list": f"{_HERE}.image_commands:list_layers",
        "image rm": f"{_HERE}.image_commands:remove",
        "documents index": f"{_HERE}.documents.commands:index",
        "documents search": f"{_HERE}.documents.commands:search",
        "documents list": f"{_HERE}.documents.commands:list_indexes",
    }

    public_evidence: ClassVar[Collection[str]] = ("desktop",)

    dataset: Annotated[Path | None, Opt(positional=True)] = None
    """The published evaluation_examples, another dataset in its form, or demo: the tasks that ship with Touchstone."""
    limit: Annotated[Count | None, Opt(names=("-n",), group=TASKS)] = None
    """At most this many tasks, after all other filters."""
    observation: Annotated[Literal["screenshot", "a11y_tree", "screenshot_a11y_tree", "som"], Opt(group=SCREEN)] = "screenshot"
    """A picture of the screen, the list of what is on it (its accessibility tree), both, or both with numbered boxes."""
    action_space: Annotated[Literal["pyautogui", "computer_13"], Opt(group=SCREEN)] = "pyautogui"
    """Python code, or one of 13 kinds of actions as JSON."""
    sleep_after_action: Annotated[NotNegative, Opt(group=SCREEN, advanced=True)] = 0.5
    """Seconds between an action and the next observation."""
    settle: Annotated[NotNegative, Opt(group=SCREEN, advanced=True)] = 10.0
    """The most seconds that the first observation waits for a steady screen."""
    a11y_max_tokens: Annotated[Count, Opt(group=SCREEN, advanced=True)] = 5_000
    """Where the list is cut, in estimated tokens."""
    task_timeout: Annotated[Positive, Opt(group=SCREEN)] = 1_800.0
    """Seconds for each task, from the end of its set-up until it is judged."""
    eval_timeout: Annotated[Positive, Opt(group=SCREEN, advanced=True)] = 300.0
    """Seconds for each script or command of the set-up and of the evaluation; one that takes longer is an error, not a 0."""
    system_prompt: Annotated[Path | None, Opt(group=WHO, advanced=True)] = None
    """A file with instructions that replace the built-in ones."""
    provider: Annotated[str, Opt(group=DESKTOP)] = "sandbox"
    """Where desktops come from: sandbox, docker, remote (--address), or your module:function, which makes a factory."""
    address: Annotated[str | None, Opt(group=DESKTOP, advanced=True)] = None
    """The controller of a running desktop, such as http://host:5000 (with --provider remote)."""
    reset_command: Annotated[str | None, Opt(group=DESKTOP, verbatim=True, advanced=True)] = None
    """A shell command, run here, that resets the remote desktop before each task."""
    network: Annotated[bool, Opt(group=DESKTOP)] = False
    """Let the desktop use the network; tasks that need it are skipped otherwise."""
    offline_web: Annotated[bool, Opt(group=DESKTOP, advanced=True)] = False
    """Without a network: let stand-ins on the desktop answer for a few public addresses that tasks read from."""
    solutions: Annotated[Path | None, Opt(group=WHO, advanced=True)] = None
    """A folder of your own solutions for the oracle: <task>.py or <task>.sh, named by either form of the task; they take
    precedence over those beside the tasks."""
    settings: Annotated[Path | None, Opt(group=DESKTOP)] = None
    """The settings of accounts; by default the dataset's."""
    ahead: Annotated[WholeNumber | None, Opt(group=DESKTOP, advanced=True)] = None
    """How many tasks to set up on spare desktops while others are played; by default 1 with sandbox and docker, else 0."""
    video: Annotated[bool, Opt(group=DESKTOP)] = True
    """Record a video of each task."""
    results: Annotated[Path | None, Opt(group=DESKTOP, advanced=True)] = None
    """Without a desktop: judge the files in this folder, one folder per task, as 'touchstone desktop evaluate' takes it."""
    rag: Annotated[Literal["off", "index", "context"], Opt(group=PASSAGES, advanced=True)] = "off"
    """Passages for the agent: from an index of documents, or from the context files published with the tasks."""
    rag_index: Annotated[Path, Opt(group=PASSAGES, advanced=True)] = DOCUMENTS
    """The folder that 'touchstone desktop documents index' made."""
    rag_retriever: Annotated[Literal["auto", "minilm", "bm25"], Opt(group=PASSAGES, advanced=True)] = "auto"
    """How to search the index; auto uses embeddings if there are any, else words."""
    rag_topk: Annotated[Count, Opt(group=PASSAGES, advanced=True)] = 4
    """The number of passages."""
    rag_filename: Annotated[str | None, Opt(group=PASSAGES, advanced=True)] = None
    """The name of the context files; by default the published one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dataset is None or (str(self.dataset) == "demo" and not self.dataset.exists()):
            force_setattr(self, "dataset", demo())
        if self.observation == "som" and self.action_space != "pyautogui":
            raise OptionError("observation", "som", "only with the action space pyautogui: the numbers of boxes stand in code")
        if ":" not in self.provider and self.provider not in NAMES:
            raise OptionError("provider", self.provider, f"expected one of {', '.join(NAMES)}, or module:function")
        if self.provider == "remote" and not self.address:
            raise OptionError("address", None, "the provider remote needs it: the controller of a running desktop")
        if self.solutions is not None and not self.solutions.is_dir():
            raise OptionError("solutions", self.solutions, "no such directory")
        for option in ("address", "reset_command"):
            if self.provider != "remote" and (value := getattr(self, option)):
                raise OptionError(option, value, f"only for the provider remote, not {self.provider}")

    async def open(self, opening: Opening) -> DesktopBenchmark:
        self._refuse_impossible(opening)
        return self._benchmark(opening, self.loaded())

    @classmethod
    def translated(cls, argv: list[str]) -> list[str]:
        """--abstract and --verbose choose among the tasks; to see each task as it ends, there are -v and --each."""
        forms = [word for word in argv if word in ("--abstract", "--verbose")]
        if len(set(forms)) > 1:
            raise InputError("--abstract and --verbose exclude each other; leave out both for all tasks")
        return [f"--instruction={word.removeprefix('--')}" if word in forms else word for word in argv]

    @classmethod
    def translated_options(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """The same for a file; in one that names the option itself, as those of runs do, `verbose` is the run's."""
        if "instruction" in options:
            return dict(options)
        forms = [form for form in ("abstract", "verbose") if options.get(form)]
        rest = {name: value for name, value in options.items() if name not in ("abstract", "verbose")}
        return {**rest, **({"instruction": forms[0]} if forms else {})}

    @classmethod
    def check_data(cls, dataset: CatalogueEntry, file: Path, found: Found, deep: bool) -> None:
        """Whether all task files that the list of all tasks names are here."""
        from ..data_check import count_tasks

        source = Dataset(file.parent)
        listed = source.listed("all")
        count_tasks(dataset, len(listed), found)
        files = {key: source.root / "examples" / domain / key / f"{key}.json" for key, domain in listed.items()}
        broken = [key for key, path in files.items() if not _is_task(path)]
        found.counted("task files", broken, len(listed))
        found.use = dataset.use.format(directory=file.parent)

    def hints(self) -> Hints:
        return Hints(screen=True)

    def title(self, who: str) -> str:
        if self.results:
            return f"{self.label}: {who}, judged from files"
        return f"{self.label}: {who}, sees {self.observation}, acts by {self.action_space}"

    def loaded(self) -> Loaded:
        assert self.dataset is not None
        source = Dataset(self.dataset)
        known = load_tasks(source)
        return Loaded(source, known, self.select(known, source)[: self.limit])

    def scoring(self, options: ScoreOptions) -> Scoring:
        """A run is played again on a desktop; files that agents left are judged without one."""
        path = options.predictions
        assert path is not None
        if (path / "runs.jsonl").is_file():
            keys = {record.task for record in touchstone.read(path)}
            replay = agent_config("replay", predictions=path, allow_missing=True)
            return Scoring(benchmark=self, agent=replay, only=None if options.allow_missing else keys)
        tasks = self.loaded().chosen
        missing = [task.key for task in tasks if not (path / task.key).is_dir()]
        if missing and (len(missing) == len(tasks) or not options.allow_missing):
            which = f"{len(missing)} of the {len(tasks)} chosen tasks have none, the first is {missing[0]}"
            raise InputError(f"{path}: expected a run directory, or a folder of files for each task: {which}")
        return Scoring(benchmark=replace(self, results=path), agent=agent_config("nothing"))

    @classmethod
    def checks(cls) -> Iterator[Check]:
        """Starts a container, as a task would."""
        from .image import Store
        from .providers.namespaces import ContainerPlan, host_programs, run

        clock = time.perf_counter()
        try:
            status, output = asyncio.run(run(ContainerPlan(program=["/bin/true"], layers=[], binds=host_programs())))
            spent = f"namespaces, after {time.perf_counter() - clock:.2f} s"
            yield Check(status == 0, "desktop sandbox", output.strip() or spent)
        except TouchstoneError as error:
            yield Check(False, "desktop sandbox", str(error))
        made = sorted(Store().made())
        yield Check("desktop" in made, "desktop image", ", ".join(made) or "touchstone desktop image build")

    async def audit(self, opening: Opening, options: AuditOptions) -> Audited:
        """By files alone: the oracle's are the gold files, laid out as an agent would leave them."""
        from ..audit.audited import Audited
        from .artefacts import private_folder
        from .audit import findings, lay_out

        data = self.loaded()
        folder = opening.stack.enter_context(private_folder())
        playable = lay_out(data.chosen, data.dataset, folder)
        return Audited(
            title=f"{self.label}: audit of {data.dataset.root.name}",
            benchmark=replace(self, results=folder)._benchmark(opening, data._replace(chosen=playable)),
            findings=await findings(data.chosen, playable, data.dataset),
            tasks=data.chosen,
        )

    def maker(self) -> Callable[[], Desktop]:
        """What makes the desktops. Raises InputError if this kind cannot be had here."""
        settings = ProviderSettings(
            address=self.address, reset_command=self.reset_command, network=self.network, offline_web=self.offline_web
        )
        module, colon, name = self.provider.partition(":")
        if not colon:
            return provider(self.provider, settings)
        try:
            make: Any = getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise OptionError("provider", self.provider, str(error)) from None
        return make(settings)

    def retriever(self) -> Retriever | None:
        """What finds passages for the agent; None when it gets none."""
        if self.rag == "off":
            return None
        from .documents.search import PUBLISHED, FromContexts, FromIndex

        if self.rag == "index":
            return FromIndex(self.rag_index, top=self.rag_topk, choice=self.rag_retriever)
        return FromContexts(self.rag_filename or PUBLISHED, top=self.rag_topk)

    @property
    def spares(self) -> int:
        """How many tasks are set up ahead."""
        return int(self.provider in ("sandbox", "docker")) if self.ahead is None else self.ahead

    def own_instructions(self) -> str | None:
        try:
            return self.system_prompt.read_text() if self.system_prompt else None
        except (OSError, UnicodeError) as error:
            raise OptionError("system_prompt", self.system_prompt, str(error)) from None

    def _benchmark(self, opening: Opening, data: Loaded) -> DesktopBenchmark:
        from .benchmark import DesktopBenchmark, ResultFiles

        kind = ResultFiles if self.results else DesktopBenchmark
        benchmark = kind(self, data, self.maker(), self.retriever())
        opening.stack.push_async_callback(benchmark.close)
        return benchmark

    def _refuse_impossible(self, opening: Opening) -> None:
        if opening.agent in ("oracle", "human") and self.action_space != "pyautogui":
            raise OptionError("action_space", self.action_space, f"the agent {opening.agent} plays with pyautogui")
        if self.provider == "remote" and opening.parallel > 1:
            raise OptionError("parallel", opening.parallel, "the provider remote has one desktop, so one task at a time")
        if self.provider == "remote" and self.ahead:
            raise OptionError("ahead", self.ahead, "the provider remote has one desktop, so nothing is set up beside it")


def _is_task(path: Path) -> bool:
    try:
        load_task(path)
    except InputError:
        return False
    return True


def _refuse_unknown(option: str, names: Sequence[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            shown = ", ".join(sorted(known)) if len(known) <= 40 and option != "task" else f"one of {len(known)}"
            raise OptionError(option, name, f"no task has it; expected {shown}")
