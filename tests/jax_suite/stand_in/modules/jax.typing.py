from typing import Any

ArrayLike = DTypeLike = Any
