"""An MCP server as its author writes one in Python, for the tests: `server.py stdio|http|roomy|stateless`.

Its tools call the host through nimblebrain-bundle-sdk and tell what came back.
"""

import hashlib
import json
import socket
import sys

import uvicorn
from fastmcp import Context, FastMCP
from mcp.server import streamable_http_manager
from nimblebrain_bundle_sdk import host

mcp = FastMCP("python")


def digested(value):
    """Large strings as their length and SHA-256."""
    if isinstance(value, dict):
        return {key: digested(member) for key, member in value.items()}
    if isinstance(value, list):
        return [digested(member) for member in value]
    if isinstance(value, str) and len(value) > 10_000:
        return f"{len(value)} {hashlib.sha256(value.encode()).hexdigest()}"
    return value


def seen(result) -> str:
    return json.dumps({"result": digested(result.model_dump(mode="json", by_alias=True, exclude_none=True))})


def failed(error: Exception) -> str:
    wire = getattr(error, "error", None)
    if wire is None:
        return json.dumps({"thrown": {"name": type(error).__name__}})
    return json.dumps({"error": {"code": wire.code, "message": wire.message, "data": wire.data}})


@mcp.tool
async def probe(ctx: Context) -> str:
    """What the host offers."""
    h = host(ctx)
    offered = {"available": h.available, "list": h.list_available}
    schemes = {scheme: h.supports_scheme(scheme) for scheme in ("files", "https")}
    return json.dumps({"result": {**offered, **schemes}})


@mcp.tool
async def read(uri: str, ctx: Context) -> str:
    """Reads one file."""
    try:
        return seen(await host(ctx).read(uri))
    except Exception as error:
        return failed(error)


@mcp.tool
async def listing(
    ctx: Context, scheme: str | None = None, mime_type: str | None = None, tags: list[str] | None = None
) -> str:
    """Lists files."""
    try:
        return seen(await host(ctx).list(scheme=scheme, mime_type=mime_type, tags=tags))
    except Exception as error:
        return failed(error)


@mcp.tool
async def ask(method: str, params: dict, ctx: Context) -> str:
    """Sends a request that the SDK would not send."""
    from mcp.types import ListResourcesResult
    from pydantic import BaseModel

    class Request(BaseModel):
        method: str
        params: dict

    try:
        return seen(await ctx.session.send_request(Request(method=method, params=params), ListResourcesResult))
    except Exception as error:
        return failed(error)


if __name__ == "__main__":
    kind = sys.argv[1]
    if kind == "stdio":
        mcp.run(transport="stdio", show_banner=False)
    else:
        if kind == "roomy":  # mcp takes messages up to 4 MiB, and FastMCP has no option for it
            limit = streamable_http_manager.RequestBodyLimitMiddleware
            streamable_http_manager.RequestBodyLimitMiddleware = lambda app, _: limit(app, 64 * 1024**2)
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        app = mcp.http_app(path="/mcp", stateless_http=kind == "stateless")
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
