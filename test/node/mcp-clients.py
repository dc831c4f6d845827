"""Reads the skills of an MCP server with FastMCP and Microsoft Agent Framework, and prints what they find as JSON."""

import asyncio
import json
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

from agent_framework import MCPSkillsSource
from fastmcp import Client
from fastmcp.skills.client import SkillsClientExtension
from fastmcp.utilities.skills import list_skills, sync_skills
from mcp import Client as PlainClient


async def main(url: str, folder: str) -> dict:
    found = {}
    async with Client(url) as client:
        found["resources"] = [skill.uri for skill in await list_skills(client)]
        await sync_skills(client, folder)
        files = (path for path in Path(folder).rglob("*") if path.is_file())
        found["files"] = sorted(path.relative_to(folder).as_posix() for path in files)
        found["prompts"] = [prompt.name for prompt in await client.list_prompts()]
    async with Client(url, extensions=[SkillsClientExtension()]) as client:
        found["extension"] = [skill.frontmatter.name for skill in await client.list_skills()]
    async with PlainClient(url) as client:
        skills = await MCPSkillsSource(client=client).get_skills(None)
        found["framework"] = {skill.frontmatter.name: len(await skill.get_content()) for skill in skills}
    return found


print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2]))))
