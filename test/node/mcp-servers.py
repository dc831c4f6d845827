"""Serves the folder of skills of the first argument over MCP: with FastMCP, or with the official server. Prints its address."""

import socket
import sys
from pathlib import Path

folder = Path(sys.argv[2])
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
port = listening.getsockname()[1]
listening.close()

if sys.argv[1] == "fastmcp":
    from fastmcp import FastMCP
    from fastmcp.server.providers.skills import SkillsDirectoryProvider

    server = FastMCP("fastmcp")
    server.add_provider(SkillsDirectoryProvider(roots=folder))
    print(f"http://127.0.0.1:{port}/mcp", flush=True)
    server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
else:
    import uvicorn
    from mcp.server.mcpserver import MCPServer

    def reader(path: Path):
        def read() -> str:
            return path.read_text()

        return read

    server = MCPServer("official")
    for path in sorted(folder.rglob("SKILL.md")):
        uri = f"skill://{path.relative_to(folder).as_posix()}"
        server.resource(uri, mime_type="text/markdown")(reader(path))
    print(f"http://127.0.0.1:{port}/mcp", flush=True)
    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=port, log_level="error")
