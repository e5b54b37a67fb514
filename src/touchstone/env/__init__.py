"""Episodes for trainers: in process and in batches, over the wire (OpenEnv, NeMo Gym), and as what other trainers expect."""

from .batch import BatchEnv, Scored, SyncBatchEnv, open
from .reward import Payment, RewardOptions, answer_in, payment
from .sessions import EnvStep, Full

__all__ = [
    "BatchEnv",
    "EnvStep",
    "Full",
    "Payment",
    "RewardOptions",
    "Scored",
    "SyncBatchEnv",
    "answer_in",
    "open",
    "payment",
]
