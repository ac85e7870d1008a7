"""OpenAI's files and batches as ``ModelServer.service``: strict about what it is sent, one step further a look."""

from __future__ import annotations

import email
import email.policy
import json
import re
from typing import Any

from tests.models.http.server import Answer, ModelServer, Refused, Sent

STEPS = ("validating", "in_progress", "finalizing", "completed")


class BatchService:
    """``refuse`` are texts that fail one by one; ``ending`` is how batches end; ``done_share`` how much of an expired
    one was done. ``created`` counts what would be paid for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.looks: dict[str, int] = {}
        self.refuse: set[str] = set()
        self.ending = "completed"
        self.tried = 10_000
        self.created = 0
        self.bend: Any = None

    def answer(self, server: ModelServer, sent: Sent) -> Any:
        path, _, query = sent.path.partition("?")
        if (sent.method, path) == ("POST", "/v1/files"):
            return self._upload(sent)
        if (sent.method, path) == ("POST", "/v1/batches"):
            return self._create(sent.body)
        if (sent.method, path) == ("GET", "/v1/batches"):
            return self._list(query)
        if found := re.fullmatch(r"/v1/batches/([^/]+)", path):
            return self._look(server, found[1])
        if found := re.fullmatch(r"/v1/files/([^/]+)/content", path):
            return Answer(200, self.files[found[1]], {"content-type": "application/octet-stream"})
        raise Refused(404, {"error": {"message": f"no {sent.path} here"}})

    def _upload(self, sent: Sent) -> Any:
        head = f"content-type: {sent.headers['content-type']}\r\n\r\n".encode()
        form = email.message_from_bytes(head + sent.raw, policy=email.policy.HTTP)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
        if set(parts) != {"purpose", "file"} or parts["purpose"].get_content().strip() != "batch":
            raise Refused(400, {"error": {"message": f"form with {sorted(parts)}"}})
        name = f"file-{len(self.files)}"
        self.files[name] = parts["file"].get_payload(decode=True)
        return {"id": name, "object": "file", "bytes": len(self.files[name]), "purpose": "batch"}

    def _create(self, body: Any) -> Any:
        known = {"input_file_id", "endpoint", "completion_window", "metadata"}
        if set(body) != known or body["endpoint"] != "/v1/embeddings" or body["completion_window"] != "24h":
            raise Refused(400, {"error": {"message": f"batch of {body}"}})
        if body["input_file_id"] not in self.files:
            raise Refused(400, {"error": {"message": "No such File object"}})
        name = f"batch-{len(self.batches)}"
        self.created += 1
        self.looks[name] = 0
        self.batches[name] = {"id": name, "object": "batch", "status": STEPS[0], **body}
        return self.batches[name]

    def _list(self, query: str) -> Any:
        after = re.search(r"after=([^&]+)", query)
        names = sorted(self.batches, key=lambda name: -int(name.partition("-")[2]))
        start = names.index(after[1]) + 1 if after else 0
        assert "limit=100" in query
        page = [self.batches[name] for name in names[start : start + 100]]
        return {"object": "list", "data": page, "has_more": start + 100 < len(names)}

    def _look(self, server: ModelServer, name: str) -> Any:
        if name not in self.batches:
            raise Refused(404, {"error": {"message": f"No batch found with id '{name}'."}})
        batch = self.batches[name]
        if batch["status"] in ("completed", "failed", "expired", "cancelled"):
            return batch
        self.looks[name] += 1
        step = min(self.looks[name], len(STEPS) - 1)
        batch["status"] = STEPS[step] if step < len(STEPS) - 1 else self.ending
        if step == len(STEPS) - 1 and "output_file_id" not in batch:
            if self.ending == "failed":
                batch["errors"] = {
                    "data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]
                }
            else:
                self._finish(server, batch)
        return batch

    def _finish(self, server: ModelServer, batch: dict[str, Any]) -> None:
        output, errors = [], []
        for at, line in enumerate(self.files[batch["input_file_id"]].splitlines()):
            request = json.loads(line)
            assert set(request) == {"custom_id", "method", "url", "body"}
            (text,) = request["body"]["input"]
            name = {"id": f"r{at}", "custom_id": request["custom_id"]}
            if at >= self.tried:
                code = {"code": f"batch_{self.ending}", "message": "This request could not be executed in time."}
                errors.append({**name, "response": None, "error": code})
            elif text in self.refuse:
                body = {"error": {"message": f"too bad: {len(text)}", "type": "invalid_request_error"}}
                errors.append({**name, "response": {"status_code": 400, "body": body}, "error": None})
            else:
                body = server.answer(Sent("POST", "/v1/embeddings", _JSON, json.dumps(request["body"]).encode()))
                body = self.bend(body) if self.bend else body
                output.append({**name, "response": {"status_code": 200, "body": body}, "error": None})
        # The service keeps no order.
        for key, rows in (("output_file_id", output[::-1]), ("error_file_id", errors)):
            if rows:
                batch[key] = f"file-{len(self.files)}"
                self.files[batch[key]] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)


_JSON = {"content-type": "application/json"}
