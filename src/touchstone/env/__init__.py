"""Episodes for trainers: in process and in batches, over the wire (OpenEnv, NeMo Gym), and as what other trainers expect."""

from .batch import BatchEnv, Scored, SyncBatchEnv, open
from .reward import Payment, RewardOptions, answer_in, payment
from .sessions import Full, Step

__all__ = [
    "BatchEnv",
    "Full",
    "Payment",
    "RewardOptions",
    "Scored",
    "Step",
    "SyncBatchEnv",
    "answer_in",
    "open",
    "payment",
]
