"""The encoder of all-MiniLM-L6-v2 as an ONNX graph with eight-bit weights, written layer by layer.

`build_model.py` calls this. The graph takes one sequence at a time, `input_ids` of shape (1, n), and gives
`last_hidden_state` of shape (1, n, 384). It has no mask and no padding, because every text is run alone.

How numbers are stored:

- The weight matrices of the layers are signed bytes with one scale a column. The activations that meet them are
  rounded when the model runs (`DynamicQuantizeLinear`), and their products are sums of integers (`MatMulInteger`).
- Weights use 7 bits, from -63 to 63. Processors without VNNI instructions add pairs of products in 16 bits and
  cut off what does not fit: 2 * 255 * 63 does, 2 * 255 * 127 would not.
- The word embeddings are signed bytes with one scale a row, the few position embeddings are float32.

Only single numbers are divided and rounded here, nothing is summed, so that the bytes are the same on any machine.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, WIDTH = 6, 12, 384
POSITIONS = 256
EPSILON = 1e-12
OPSET, IR_VERSION = 17, 8

Weights = dict[str, np.ndarray]


class Graph:
    """Nodes and constants in the order in which they are added; every node has one result, named by its number."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def number(self, name: str, value: float) -> str:
        return self.constant(name, np.array(value, np.float32))

    def shape(self, name: str, *sizes: int) -> str:
        return self.constant(name, np.array(sizes, np.int64))

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        return self.several(kind, 1, *inputs, **attributes)[0]

    def several(self, kind: str, results: int, *inputs: str, **attributes: object) -> list[str]:
        names = [f"{kind}_{len(self.nodes)}_{at}" for at in range(results)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0], **attributes))
        return names


def quantised(matrix: np.ndarray, axis: int, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix as signed bytes up to `largest` in size, and the scale of each row (axis 0) or column (axis 1)."""
    scale = np.abs(matrix).max(axis=1 - axis, keepdims=True) / largest
    scale = np.where(scale > 0, scale, 1.0).astype(np.float32).astype(np.float64)
    return np.rint(matrix / scale).clip(-largest, largest).astype(np.int8), scale.astype(np.float32)


def linear(graph: Graph, weights: Weights, parts: list[str], name: str, rounded: list[str]) -> str:
    """`x W + b` for an `x` that was rounded; several parts with the same input are one matrix side by side."""
    matrix = np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    numbers, scale = quantised(matrix, 1, 63)
    integers, x_scale, x_zero = rounded
    product = graph.add(
        "MatMulInteger",
        integers,
        graph.constant(f"{name}.weight", numbers),
        x_zero,
        graph.constant(f"{name}.zero", np.zeros(numbers.shape[1], np.int8)),
    )
    scales = graph.add("Mul", x_scale, graph.constant(f"{name}.scale", scale[0]))
    plain = graph.add("Mul", graph.add("Cast", product, to=TensorProto.FLOAT), scales)
    return graph.add("Add", plain, graph.constant(f"{name}.bias", bias.astype(np.float32)))


def norm(graph: Graph, weights: Weights, name: str, x: str) -> str:
    gain = graph.constant(f"{name}.weight", weights[f"{name}.weight"].astype(np.float32))
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"].astype(np.float32))
    return graph.add("LayerNormalization", x, gain, bias, axis=-1, epsilon=EPSILON)


def rounded(graph: Graph, x: str) -> list[str]:
    return graph.several("DynamicQuantizeLinear", 3, x)


def embeddings(graph: Graph, weights: Weights) -> str:
    """The sum of what each word piece and each position stands for."""
    name = "embeddings"
    numbers, scale = quantised(weights[f"{name}.word_embeddings.weight"], 0, 127)
    rows = graph.add("Gather", graph.constant("words", numbers), "input_ids")
    scales = graph.add("Gather", graph.constant("words.scale", scale), "input_ids")
    words = graph.add("Mul", graph.add("Cast", rows, to=TensorProto.FLOAT), scales)
    places = weights[f"{name}.position_embeddings.weight"] + weights[f"{name}.token_type_embeddings.weight"][0]
    length = graph.add("Gather", graph.add("Shape", "input_ids"), graph.shape("one", 1))
    positions = graph.constant("positions", places[:POSITIONS].astype(np.float32))
    held = graph.add("Slice", positions, graph.shape("first", 0), length, graph.shape("axis", 0))
    return norm(graph, weights, f"{name}.LayerNorm", graph.add("Add", words, held))


def attention(graph: Graph, weights: Weights, name: str, x: str) -> str:
    parts = [f"{name}.self.{part}" for part in ("query", "key", "value")]
    projected = linear(graph, weights, parts, f"{name}.self", rounded(graph, x))
    query, key, value = graph.several("Split", 3, projected, axis=-1)

    def heads(part: str, order: list[int]) -> str:
        return graph.add("Transpose", graph.add("Reshape", part, "by_head"), perm=order)

    scores = graph.add("MatMul", heads(query, [0, 2, 1, 3]), heads(key, [0, 2, 3, 1]))
    shares = graph.add("Softmax", graph.add("Mul", scores, "shrink"), axis=-1)
    mixed = graph.add("MatMul", shares, heads(value, [0, 2, 1, 3]))
    flat = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), "whole")
    return linear(graph, weights, [f"{name}.output.dense"], f"{name}.output", rounded(graph, flat))


def gelu(graph: Graph, x: str) -> str:
    spread = graph.add("Erf", graph.add("Div", x, "root_two"))
    return graph.add("Mul", graph.add("Mul", x, graph.add("Add", spread, "unit")), "half")


def build(weights: Weights) -> bytes:
    """The model file."""
    graph = Graph()
    graph.shape("by_head", 0, 0, HEADS, WIDTH // HEADS)
    graph.shape("whole", 0, 0, WIDTH)
    for name, value in (("shrink", (WIDTH // HEADS) ** -0.5), ("root_two", 2**0.5), ("unit", 1.0), ("half", 0.5)):
        graph.number(name, value)
    x = embeddings(graph, weights)
    for number in range(LAYERS):
        name = f"encoder.layer.{number}"
        attended = graph.add("Add", attention(graph, weights, f"{name}.attention", x), x)
        x = norm(graph, weights, f"{name}.attention.output.LayerNorm", attended)
        inner = linear(graph, weights, [f"{name}.intermediate.dense"], f"{name}.inner", rounded(graph, x))
        outer = [f"{name}.output.dense"], f"{name}.outer", rounded(graph, gelu(graph, inner))
        x = norm(graph, weights, f"{name}.output.LayerNorm", graph.add("Add", linear(graph, weights, *outer), x))
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"], name="last"))
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, "n", WIDTH])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="moored",
    )
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)
