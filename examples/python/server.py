"""An MCP server with one tool that takes a file by reference or its text inline, so that it works on any host:
`server.py stdio` or `server.py http`.
"""

import socket
import sys

import uvicorn
from fastmcp import Context, FastMCP
from nimblebrain_bundle_sdk import RATE_LIMITED, RESOURCE_NOT_FOUND, RESPONSE_TOO_LARGE, host

mcp = FastMCP("summaries")


@mcp.tool
async def summarize(file_uri: str | None = None, text: str | None = None, ctx: Context = None) -> str:
    """Summarize a document. Pass file_uri for a workspace file, or text inline."""
    h = host(ctx)
    if file_uri and h.available:
        try:
            result = await h.read(file_uri)
        except Exception as error:
            return explain(error)
        text = getattr(result.contents[0], "text", None)
        if text is None:
            return "summarize reads text files, and this one is binary."
    elif file_uri:
        return "This host cannot read files by URI. Pass the content as `text`."
    if text is None:
        return "Pass file_uri or text."
    lines = [line for line in text.split("\n") if line]
    return f'{len(lines)} lines, {len(text)} characters, beginning "{lines[0]}"'


def explain(error: Exception) -> str:
    """What a user can do about it; the class of the error differs between releases of mcp, its shape does not."""
    wire = getattr(error, "error", None)
    if wire is None:
        raise error
    if wire.code == RESOURCE_NOT_FOUND:
        return "There is no such file for you."
    if wire.code == RESPONSE_TOO_LARGE:
        return "The file is too large to be read."
    if wire.code == RATE_LIMITED:
        return f"Too many reads: try again in {wire.data['retryAfterMs']} ms."
    return f"The file could not be read ({wire.code})."


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        # with sessions, as FastMCP has them by default: without, a server cannot ask the host anything
        uvicorn.Server(uvicorn.Config(mcp.http_app(path="/mcp"), log_level="error")).run(sockets=[listener])
    else:
        mcp.run(transport="stdio", show_banner=False)
