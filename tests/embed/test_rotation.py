"""The rotation after which signs say how alike vectors are."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.embed.rotation import code_width, rotated, signs


def some_vectors(count: int, dimension: int) -> np.ndarray:
    rows = np.random.default_rng(1).standard_normal((count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("dimension", "width"), [(1, 1), (8, 1), (9, 2), (20, 3), (256, 32), (300, 48), (384, 48), (768, 96), (1536, 192)]
)
def test_a_code_has_a_bit_for_each_component_of_the_next_size(dimension: int, width: int) -> None:
    assert code_width(dimension) == width
    assert signs(np.ones((3, dimension), np.float32)).shape == (3, width)


@given(st.integers(1, 800))
def test_lengths_and_angles_stay(dimension: int) -> None:
    rows = some_vectors(4, dimension)
    turned = rotated(rows)
    assert turned.shape == (4, 8 * code_width(dimension))
    assert turned @ turned.T == pytest.approx(rows @ rows.T, abs=1e-4)


def test_each_component_goes_into_all() -> None:
    turned = rotated(np.eye(384, dtype=np.float32))
    assert np.abs(turned).max() < 5 / np.sqrt(384)


def test_the_signs_estimate_the_angle() -> None:
    rows = some_vectors(2, 384)
    near = rows[0] + 0.3 * rows[1]
    first, second = signs(np.stack([rows[0], near]))
    different = int(np.bitwise_count(first ^ second).sum())
    angle = np.arccos(rows[0] @ near / np.linalg.norm(near))
    assert different / 384 == pytest.approx(angle / np.pi, abs=0.05)


def test_a_vector_among_others_has_the_same_bits_as_alone() -> None:
    rows = some_vectors(5, 384)
    assert rotated(rows)[3].tobytes() == rotated(rows[3:4])[0].tobytes()
    assert signs(rows)[3].tobytes() == signs(rows[3:4])[0].tobytes()


@pytest.mark.invariant("I-23")
def test_the_rotation_is_the_one_that_stored_codes_were_made_with() -> None:
    codes = signs(np.eye(384, dtype=np.float32)).tobytes() + signs(np.eye(256, dtype=np.float32)).tobytes()
    assert sha256(codes).hexdigest() == "d307941457f0c840a9a1341f06dbf318b6e35c82398ae0926b3b47717cca410a"


def test_no_vectors_have_no_codes() -> None:
    assert signs(np.zeros((0, 384), np.float32)).shape == (0, 48)
    assert rotated(np.zeros((0, 384), np.float32)).shape == (0, 384)
