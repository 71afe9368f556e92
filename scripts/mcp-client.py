"""The Python MCP client against a server: `mcp-client.py JARI PROJECT` on stdio, `mcp-client.py URL` over HTTP."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def talk(session):
    hello = await session.initialize()
    assert len(hello.instructions.encode()) < 1024, "the instructions are short"
    tools = (await session.list_tools()).tools
    assert len(tools) <= 10, [tool.name for tool in tools]
    for tool in tools:
        assert tool.title and tool.description and tool.output_schema, tool
        assert tool.annotations.open_world_hint is False, tool
    # The client checks structured content against the output schema.
    found = await session.call_tool("search_code", {"query": "retry"})
    assert not found.is_error and found.structured_content["results"], found
    refused = await session.call_tool("search_code", {"q": "retry"})
    assert refused.is_error and "query (needed)" in refused.content[0].text, refused
    resources = (await session.list_resources()).resources
    text = (await session.read_resource(resources[0].uri)).contents[0].text
    assert text.startswith("# Guide"), text
    templates = (await session.list_resource_templates()).resource_templates
    assert len(templates) == 2, templates
    prompts = (await session.list_prompts()).prompts
    await session.get_prompt(prompts[0].name, {prompts[0].arguments[0].name: "src"})
    seen = []

    async def progress(done, total, message):
        seen.append((done, total, message))

    changed = await session.call_tool("reindex_codebase", {"mode": "rebuild"}, progress_callback=progress)
    assert not changed.is_error, changed
    await session.send_ping()


async def main():
    if sys.argv[1].startswith("http"):
        from mcp.client.streamable_http import streamable_http_client

        streams = streamable_http_client(sys.argv[1])
    else:
        streams = stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp", sys.argv[2]]))
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        await talk(session)


asyncio.run(main())
