"""Writes a student in the layout of transformers.js.

Matrices have four bits a weight. The graph computes them from constants, so the runtime does that once, when it loads. It multiplies in
8-bit integers, in WebAssembly three to four times as fast as MatMulNBits.
"""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from quantize import BLOCK, quantize
from vocabulary import write_tokenizer

WIDTH, INNER, LAYERS, HEADS, EPSILON = 384, 1536, 6, 12, 1e-12
MICROSOFT = "com.microsoft"


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name, value, kind=None):
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(np.asarray(value, kind)), name)
        return name

    def add(self, operator, inputs, output, domain="", **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def cast(self, x, to=TensorProto.FLOAT):
        return self.add("Cast", [x], f"{x}.cast", to=to)

    def integers(self, *values):
        return self.constant("_".join(map(str, values)), values, np.int64)

    def scalar(self, value, kind=np.float32):
        return self.constant(f"{np.dtype(kind).name}_{value}", value, kind)


def four_bits(graph, name, matrix):
    """A constant of half a byte a weight, and its scales of 16 bits. The first half of a row is in the low halves."""
    columns = matrix.shape[1]
    numbers, scales = (part.numpy() for part in quantize(matrix))
    bytes_ = graph.constant(f"{name}.numbers", numbers[:, : columns // 2] | numbers[:, columns // 2 :] << 4)
    low = graph.add("BitwiseAnd", [bytes_, graph.scalar(15, np.uint8)], f"{name}.low")
    high = graph.add("BitShift", [bytes_, graph.scalar(4, np.uint8)], f"{name}.high", direction="RIGHT")
    whole = graph.cast(graph.add("Concat", [low, high], f"{name}.whole", axis=1))
    signed = graph.add("Sub", [whole, graph.scalar(8)], f"{name}.signed")
    blocks = graph.add("Reshape", [signed, graph.integers(-1, columns // BLOCK, BLOCK)], f"{name}.blocks")
    scaled = graph.add("Mul", [blocks, graph.cast(graph.constant(f"{name}.scales", scales[..., None]))], f"{name}.scaled")
    return graph.add("Reshape", [scaled, graph.integers(-1, columns)], f"{name}.base")


def linear(graph, x, name, weights):
    matrix = four_bits(graph, name, weights[f"{name}.weight"])
    bias = vector(graph, f"{name}.bias", weights)
    largest = graph.add("ReduceMax", [graph.add("Abs", [matrix], f"{name}.abs"), graph.integers(1)], f"{name}.largest", keepdims=1)
    step = graph.add("Div", [largest, graph.scalar(127)], f"{name}.step")
    rounded = graph.add("Round", [graph.add("Div", [matrix, step], f"{name}.steps")], f"{name}.rounded")
    bytes_ = graph.add("Transpose", [graph.cast(rounded, TensorProto.INT8)], f"{name}.turned", perm=[1, 0])
    flat = graph.add("Reshape", [step, graph.integers(-1)], f"{name}.flat")
    return graph.add("DynamicQuantizeMatMul", [x, bytes_, flat, "", bias], f"{name}.out", MICROSOFT)


def vector(graph, name, weights):
    return graph.constant(name, weights[name].float().numpy())


def norm(graph, x, skip, name, weights, output=None):
    inputs = [x, skip, vector(graph, f"{name}.weight", weights), vector(graph, f"{name}.bias", weights)]
    return graph.add("SkipLayerNormalization", inputs, output or f"{name}.out", MICROSOFT, epsilon=EPSILON)


def begin(graph, weights):
    """The vectors of pieces and positions."""
    numbers, scales = (part.numpy() for part in quantize(weights["words"]))
    bytes_ = graph.constant("words.numbers", numbers[:, ::2] | numbers[:, 1::2] << 4)
    inputs = [bytes_, "input_ids", graph.constant("words.scales", scales)]
    words = graph.cast(graph.add("GatherBlockQuantized", inputs, "words", MICROSOFT, quantize_axis=1, block_size=BLOCK, bits=4))
    table = graph.cast(graph.constant("positions", weights["positions"].half().numpy()))
    shape = graph.add("Shape", ["input_ids"], "shape")
    length = graph.add("Slice", [shape, graph.integers(1), graph.integers(2)], "length")
    positions = graph.add("Slice", [table, graph.integers(0), length, graph.integers(0)], "positions.rows")
    inputs = [graph.add("Add", [words, positions], "sum"), *(vector(graph, f"norm.{part}", weights) for part in ("weight", "bias"))]
    return graph.add("LayerNormalization", inputs, "norm.out", axis=-1, epsilon=EPSILON)


def build(weights):
    graph = Graph()
    x = begin(graph, weights)
    mask = graph.cast("attention_mask", TensorProto.INT32)
    for index in range(LAYERS):
        name = f"layers.{index}"
        qkv = linear(graph, x, f"{name}.qkv", weights)
        parts = [f"{name}.{part}" for part in "qkv"]
        graph.nodes.append(helper.make_node("Split", [qkv, graph.integers(WIDTH, WIDTH, WIDTH)], parts, axis=-1))
        seen = graph.add("MultiHeadAttention", [*parts, "", mask], f"{name}.seen", MICROSOFT, num_heads=HEADS)
        y = norm(graph, linear(graph, seen, f"{name}.out", weights), x, f"{name}.norm1", weights)
        inner = graph.add("Gelu", [linear(graph, y, f"{name}.up", weights)], f"{name}.inner", MICROSOFT)
        output = "last_hidden_state" if index == LAYERS - 1 else None
        x = norm(graph, linear(graph, inner, f"{name}.down", weights), y, f"{name}.norm2", weights, output)
    shape = ["texts", "pieces"]
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")]
    out = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, WIDTH])]
    body = helper.make_graph(graph.nodes, "encoder", ids, out, list(graph.constants.values()))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=8)


def write(weights, tokenizer, target):
    (target / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(build(weights), target / "onnx" / "model_q4.onnx")
    positions = len(weights["positions"])
    config = {
        "model_type": "bert", "architectures": ["BertModel"], "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu", "vocab_size": len(weights["words"]),
        "max_position_embeddings": positions, "layer_norm_eps": EPSILON, "pad_token_id": 1,
    }  # fmt: skip
    tokens = {
        "tokenizer_class": "XLMRobertaTokenizer", "model_max_length": positions, "bos_token": "<s>", "eos_token": "</s>",
        "sep_token": "</s>", "cls_token": "<s>", "unk_token": "<unk>", "pad_token": "<pad>",
    }  # fmt: skip
    (target / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (target / "tokenizer_config.json").write_text(json.dumps(tokens, indent=2) + "\n")
    write_tokenizer(tokenizer, target / "tokenizer.json")

