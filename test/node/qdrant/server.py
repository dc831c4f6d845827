"""
A stand-in for the Qdrant server, not for its engine: the part of its REST API that skillshelf/server uses, over the engine's own
shard code (qdrant-edge-py) in this process. Loopback only, one collection a folder.

    server.py FOLDER [PORT]

Prints its port. A request header `api-key` is checked if the environment has QDRANT_KEY.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import qdrant_edge as q

FOLDER = sys.argv[1]
KEY = os.environ.get("QDRANT_KEY")
shards = {}
lock = threading.Lock()


class Problem(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def create(name, body):
    path = os.path.join(FOLDER, name)
    os.makedirs(path)
    vectors = {
        key: q.EdgeVectorParams(size=one["size"], distance=getattr(q.Distance, one["distance"]), datatype=q.VectorStorageDatatype.Float16)
        for key, one in body["vectors"].items()
    }
    sparse = {
        key: q.EdgeSparseVectorParams(datatype=q.VectorStorageDatatype.Uint8, memory=q.Memory.Cached) for key in body["sparse_vectors"]
    }
    config = q.EdgeConfig(
        vectors=vectors,
        sparse_vectors=sparse,
        payload_memory=q.Memory.Cold,
        hnsw_config=q.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10000),
        optimizers=q.EdgeOptimizersConfig(indexing_threshold=10000, default_segment_number=1),
    )
    shards[name] = q.EdgeShard.create(path, config)


def shard_of(name):
    if name not in shards:
        path = os.path.join(FOLDER, name)
        if not os.path.isdir(path):
            raise Problem(404, f"Not found: Collection `{name}` doesn't exist!")
        shards[name] = q.EdgeShard.load(path)
    return shards[name]


def condition(one):
    if "has_id" in one:
        return q.HasIdCondition(set(one["has_id"]))
    if "key" not in one:
        return filter_of(one)
    match = one.get("match")
    if match is None:
        limits = one["range"]
        return q.FieldCondition(one["key"], range=q.RangeFloat(lte=limits.get("lte"), gt=limits.get("gt")))
    return q.FieldCondition(one["key"], match=q.MatchAny(match["any"]) if "any" in match else q.MatchValue(match["value"]))


def filter_of(body):
    if body is None:
        return None
    return q.Filter(**{key: [condition(one) for one in body[key]] for key in ("must", "should", "must_not") if key in body})


def selector(fields):
    return q.PayloadSelector.Include(fields) if isinstance(fields, list) else bool(fields)


def nearest(body):
    given = body["query"]
    vector = q.SparseVector(given["indices"], given["values"]) if isinstance(given, dict) else given
    return q.Query.Nearest(vector, body["using"])


def search(shard, body):
    given = body.get("query")
    if given is None:
        points, _ = shard.scroll(q.ScrollRequest(filter=filter_of(body.get("filter")), limit=body["limit"], with_payload=selector(body["with_payload"])))
        return {"points": [{"id": str(p.id), "version": 0, "score": 0, "payload": p.payload} for p in points]}
    fused = "prefetch" in body
    request = q.QueryRequest(
        limit=body["limit"],
        prefetches=[
            q.Prefetch(limit=one["limit"], query=nearest(one), filter=filter_of(one.get("filter"))) for one in body.get("prefetch", [])
        ],
        query=q.Fusion.Rrf(2) if fused else nearest(body),
        filter=None if fused else filter_of(body.get("filter")),
        with_payload=selector(body["with_payload"]),
    )
    return {"points": [{"id": str(p.id), "version": 0, "score": p.score, "payload": p.payload} for p in shard.query(request)]}


def scroll(shard, body):
    points, following = shard.scroll(
        q.ScrollRequest(
            filter=filter_of(body.get("filter")),
            limit=body["limit"],
            offset=body.get("offset"),
            with_payload=selector(body["with_payload"]),
        )
    )
    return {"points": [{"id": str(p.id), "payload": p.payload} for p in points], "next_page_offset": following and str(following)}


def vectors_of(given):
    return {key: q.SparseVector(one["indices"], one["values"]) if isinstance(one, dict) else one for key, one in given.items()}


def index(shard, body):
    schema = dict(body["field_schema"])
    kind = schema.pop("type")
    # The engine in this process has no option `on_disk` of the server.
    schema.pop("on_disk", None)
    params = {"keyword": q.KeywordIndexParams, "integer": q.IntegerIndexParams}[kind](**schema)
    shard.update(q.UpdateOperation.create_field_index(body["field_name"], params))


def answer(method, parts, body):
    if parts[:1] != ["collections"] or len(parts) < 2:
        raise Problem(404, "Not found")
    name, action = parts[1], parts[2:]
    if method == "GET" and action == ["exists"]:
        return {"exists": name in shards or os.path.isdir(os.path.join(FOLDER, name))}
    if method == "PUT" and action == []:
        create(name, body)
        return True
    shard = shard_of(name)
    if method == "PUT" and action == ["index"]:
        return index(shard, body)
    if method == "PUT" and action == ["points"]:
        points = [q.Point(one["id"], vectors_of(one["vector"]), one["payload"]) for one in body["points"]]
        return shard.update(q.UpdateOperation.upsert_points(points))
    if method == "POST" and action == ["points", "payload"]:
        return shard.update(q.UpdateOperation.set_payload_by_filter(filter_of(body["filter"]), body["payload"]))
    if method == "POST" and action == ["points", "delete"]:
        return shard.update(q.UpdateOperation.delete_points_by_filter(filter_of(body["filter"])))
    if method == "POST" and action == ["points", "scroll"]:
        return scroll(shard, body)
    if method == "POST" and action == ["points", "query", "batch"]:
        return [search(shard, one) for one in body["searches"]]
    # Not of the REST API: the server optimizes in the background.
    if method == "POST" and action == ["optimize"]:
        shard.optimize()
        shard.flush()
        return True
    raise Problem(404, "Not found")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without it, a small answer waits for the acknowledgment of the one before.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def respond(self, method):
        started = time.perf_counter()
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            if KEY and self.headers.get("api-key") != KEY:
                raise Problem(403, "Forbidden")
            parts = self.path.split("?")[0].strip("/").split("/")
            with lock:
                result = answer(method, parts, json.loads(body) if body else None)
            status, out = 200, {"result": result, "status": "ok"}
        except Problem as problem:
            status, out = problem.status, {"status": {"error": str(problem)}}
        except Exception as error:
            status, out = 400, {"status": {"error": f"{type(error).__name__}: {error}"}}
        out["time"] = time.perf_counter() - started
        data = json.dumps(out, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.respond("GET")

    def do_POST(self):
        self.respond("POST")

    def do_PUT(self):
        self.respond("PUT")


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
