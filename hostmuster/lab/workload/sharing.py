"""What several backends must have in common before one of them starts (K1): what is missing, without a value.

Whether keys and credentials are any is for who reads them to say; here is what a single instance may go without.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from . import ring
from .environment import Environment, Problems, switch

DRIVER = "ASSET_STORAGE_DRIVER"
SHARED = "OBJECT_STORAGE_SHARED_VOLUME"
REDIS = "REDIS_URL"


def misses(environment: Environment) -> list[str]:
    """A line for each."""
    problems = Problems()
    if problems.of(switch, environment, ring.AUTO):
        problems.found.append(f"{ring.AUTO} is on: each replica would make a signing key of its own")
    if environment.get(ring.INLINE) and environment.get(ring.FILE):
        problems.found.append(f"{ring.INLINE} shadows {ring.FILE}: one of them")
    shared = problems.of(switch, environment, SHARED)
    problems.found += [*_storage(environment, bool(shared)), *_redis(environment)]
    return problems.found


def _storage(environment: Environment, shared: bool) -> Iterator[str]:
    driver = environment.get(DRIVER, "").strip().lower()
    if driver == "s3":
        if not any(name.startswith("S3_") and value for name, value in environment.items()):
            yield f"{DRIVER} is s3, and no S3_* says where that is"
    elif driver.startswith("memory") or not shared:
        yield f"{DRIVER} is no storage that all replicas see: s3, or a shared volume with {SHARED}=true"


def _redis(environment: Environment) -> Iterator[str]:
    url = environment.get(REDIS, "")
    try:
        real = url.startswith(("redis://", "rediss://")) and bool(urlsplit(url).hostname)
    except ValueError:
        real = False
    if not real:
        yield f"{REDIS} is {'not valid' if url else 'not set'}: redis:// or rediss:// of one that all replicas reach"
