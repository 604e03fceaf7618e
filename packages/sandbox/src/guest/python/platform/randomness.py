"""Randomness from a seed, so that a replay of a program has the same random numbers."""
import os
import random
import uuid

#: Bytes that seed a generator of the program.
_SEED_BYTES = 32
#: The identifier of the machine in time-based UUIDs.
_NODE = 0x0200_0000_0001


def install_randomness(seed):
    source = random.Random(seed ^ 0x5EED)

    def urandom(size):
        return source.randbytes(size)

    seed_generator = random.Random.seed

    def seed_or_draw(self, a=None, version=2):
        seed_generator(self, int.from_bytes(urandom(_SEED_BYTES), "big") if a is None else a, version)

    random.seed(seed)
    random.Random.seed = seed_or_draw
    random.seed = random._inst.seed
    os.urandom = random._urandom = urandom
    if hasattr(os, "getrandom"):
        os.getrandom = lambda size, flags=0: urandom(size)
    # The functions of the library would use sources of the operating system.
    uuid.uuid4 = lambda: uuid.UUID(bytes=urandom(16), version=4)
    uuid._generate_time_safe = uuid._UuidCreate = None
    uuid._node = _NODE
